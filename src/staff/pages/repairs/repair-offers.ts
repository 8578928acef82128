import { redemptionsOfVoucher } from '../../../db/repairs/payment-facts.js';
import type { RepairSubject } from '../../../domain/repairs/repair.js';
import { mayAsStaff } from '../../../domain/staff/staff-role.js';
import type { RepairKind, RepairLimits } from '../../../repairs/repair-kind.js';
import { repairKinds } from '../../../repairs/repair-kinds.js';
import type { SupportCaseName } from '../../case-path.js';
import type { StaffRequest } from '../../page.js';

/** A repair that is possible at this moment. */
export interface Offer {
  readonly kind: RepairKind;
  readonly subjectId: string;
  /** What it is about, such as "voucher 012345678901234567". */
  readonly label: string;
}

/** The repairs of a case that are possible now, and that the person may ask for. */
export async function offersOf(
  { services, staff }: StaffRequest,
  found: SupportCaseName,
): Promise<Offer[]> {
  if (!mayAsStaff(staff.role, 'ask')) return [];
  const { database, settings } = services;
  const subjects: readonly (readonly [kind: RepairSubject, id: string])[] =
    found.kind === 'top-up'
      ? [['top-up', String(found.id)]]
      : [
          ['voucher', String(found.id)],
          ...(await redemptionsOfVoucher(database, found.id)).map(
            (redemption) => ['redemption', String(redemption)] as const,
          ),
        ];
  const offers: Offer[] = [];
  for (const [subject, subjectId] of subjects)
    for (const kind of repairKinds.filter((one) => one.subject === subject)) {
      const { repairs: limits } = settings;
      const judged = await kind.judge(database, subjectId, examplesOf(kind, limits), limits);
      if (judged && judged.refusal === undefined)
        offers.push({ kind, subjectId, label: judged.label });
    }
  return offers;
}

/** Values of fields that are possible at most: with these the state alone decides what is offered. */
const examplesOf = (
  { fields }: RepairKind,
  { voucherValidityDays }: RepairLimits,
): Readonly<Record<string, string>> =>
  'until' in fields.shape
    ? { until: new Date(Date.now() + voucherValidityDays * DAY_MS).toISOString() }
    : {};

const DAY_MS = 86_400_000;
