import type { Database } from '../../../db/connection.ts';
import type { Asking } from '../../../db/repairs/moved-alone.ts';
import { redemptionsOfVoucher } from '../../../db/repairs/payment-facts.ts';
import type { ShownRepair } from '../../../db/repairs/repair-lists.ts';
import { actorOfPerson } from '../../../domain/access/access-changes.ts';
import type { RepairSubject } from '../../../domain/repairs/repair.ts';
import { mayAsStaff } from '../../../domain/staff/staff-role.ts';
import type { RepairKind, RepairLimits } from '../../../repairs/repair-kind.ts';
import { repairKinds } from '../../../repairs/repair-kinds.ts';
import { whySecondPerson } from '../../../repairs/second-person.ts';
import type { StaffRequest } from '../../page.ts';
import type { SupportCase } from '../../support-case.ts';

/** A repair that is possible at this moment. */
export interface Offer {
  readonly kind: RepairKind;
  readonly subjectId: string;
  /** What it is about, such as "voucher 012345678901234567". */
  readonly label: string;
  /** The same repair, which has not ended: it is not asked for again. */
  readonly open: ShownRepair | undefined;
  readonly second: SecondPerson | undefined;
  /** What can be chosen now in a field, by its name; nothing leaves the field out. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

/** That another person will have to confirm the repair. */
export interface SecondPerson {
  /** Ends a sentence. */
  readonly why: string;
  /** Only where the person fills in another number. */
  readonly isForOtherNumber: boolean;
}

/** The repairs of a case that are possible now, and that the person may ask for. */
export async function offersOf(
  { services, staff, session }: StaffRequest,
  found: Pick<SupportCase, 'kind' | 'id' | 'openRepairs' | 'otherProviders'>,
): Promise<Offer[]> {
  if (!mayAsStaff(staff.role, 'ask')) return [];
  const { database, settings } = services;
  const { repairs: limits } = settings;
  const askedBy = actorOfPerson(session);
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
      const judged = await kind.judge(database, subjectId, examplesOf(kind, limits), limits);
      if (!judged || judged.refusal !== undefined) continue;
      const open = found.openRepairs.find(
        (row) => row.kind === kind.name && row.subject_id === subjectId,
      );
      const second = open
        ? undefined
        : await secondPersonFor(
            database,
            kind,
            { subject_id: subjectId, asked_by: askedBy },
            limits,
          );
      const choices = { provider: found.otherProviders };
      offers.push({ kind, subjectId, label: judged.label, open, second, choices });
    }
  return offers;
}

/** What the form says beforehand; the edge and the step that acts decide. */
export async function secondPersonFor(
  database: Database,
  kind: RepairKind,
  { subject_id, asked_by }: Pick<Asking, 'subject_id' | 'asked_by'>,
  limits: RepairLimits,
): Promise<SecondPerson | undefined> {
  const asking = { kind: kind.name, subject_id, asked_by };
  const whyWith = async (further: Readonly<Record<string, string>>) => {
    const args = { ...examplesOf(kind, limits), ...further };
    const judged = await kind.judge(database, subject_id, args, limits);
    return judged && whySecondPerson(database, judged, asking, limits);
  };
  const why = await whyWith({});
  if (why !== undefined) return { why, isForOtherNumber: false };
  const whyForNumber = 'msisdn' in kind.fields.shape && (await whyWith({ msisdn: ANY_NUMBER }));
  return whyForNumber ? { why: whyForNumber, isForOtherNumber: true } : undefined;
}

/** A number of nobody: whatever the number is, the same person is needed. */
const ANY_NUMBER = '+251900000000';

/** Values of fields that are possible at most: with these the state alone decides what is offered. */
const examplesOf = (
  { fields }: RepairKind,
  { voucherValidityDays }: RepairLimits,
): Readonly<Record<string, string>> =>
  'until' in fields.shape
    ? { until: new Date(Date.now() + voucherValidityDays * DAY_MS).toISOString() }
    : {};

const DAY_MS = 86_400_000;
