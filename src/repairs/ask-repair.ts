import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { DatabaseTransaction } from '../db/connection.ts';
import type { RepairRow } from '../db/repairs/audit-repair.ts';
import { lockAsker } from '../db/repairs/moved-alone.ts';
import { findRequestedRepair } from '../db/repairs/repair-lists.ts';
import { addRepair, findOpenRepair, lockAsking } from '../db/repairs/repairs.ts';
import { formatMoney } from '../domain/money.ts';
import { refuseReason } from '../domain/repairs/reason.ts';
import { isStaffActor } from '../domain/repairs/repair.ts';
import { hasArguments, storedArguments } from './repair-arguments.ts';
import type { RepairKind, RepairLimits } from './repair-kind.ts';
import { ASK_SIGNED_IN, whySecondPerson } from './second-person.ts';

/** A repair as somebody asks for it. */
export interface AskedRepair {
  readonly kind: RepairKind;
  readonly subjectId: string;
  /** As the fields of the kind read them. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly why: string;
  /** A name, or that of a person of the service. */
  readonly actor: string;
  /** Of the form; random. */
  readonly requestKey: string;
}

/** What came of asking. */
export type Asked =
  | { readonly kind: 'refused'; readonly refusal: string }
  /** The same form, or the same repair while it is open. */
  | { readonly kind: 'known' | 'asked'; readonly row: RepairRow };

/** Asks for a repair, where it is allowed at this moment; it is judged again when it is carried out. */
export async function askRepair(
  transaction: DatabaseTransaction,
  { kind, subjectId: given, args, why, actor, requestKey }: AskedRepair,
  { limits, secretBox }: { readonly limits: RepairLimits; readonly secretBox: () => SecretBox },
): Promise<Asked> {
  const refusal = refuseReason(why);
  if (refusal !== undefined) return refused(refusal);
  const subjectId = await kind.nameOf(transaction, given);
  if (subjectId === undefined) return thereIsNo(kind, given);
  const subject = { kind: kind.name, subject_kind: kind.subject, subject_id: subjectId };
  await lockAsker(transaction, actor);
  await lockAsking(transaction, subject);
  const requested = await findRequestedRepair(transaction, requestKey);
  if (requested) {
    const isSame =
      requested.kind === kind.name &&
      requested.subject_id === subjectId &&
      hasArguments(requested, args, { secretBox, names: Object.keys(kind.fields.shape) });
    return isSame
      ? { kind: 'known', row: requested }
      : refused(`This key belongs to repair ${requested.id}: use another one.`);
  }
  const found = await kind.judge(transaction, subjectId, args, limits);
  if (!found) return thereIsNo(kind, given);
  if (found.refusal !== undefined) return refused(found.refusal);
  const open = await findOpenRepair(transaction, subject);
  if (open)
    return hasArguments(open, found.bound, { secretBox })
      ? { kind: 'known', row: open }
      : refused(`Repair ${open.id} is open for this: wait until it has ended.`);
  const asking = { ...subject, asked_by: actor };
  const needsConfirmation =
    (await whySecondPerson(transaction, found, asking, limits)) !== undefined;
  if (needsConfirmation && !isStaffActor(actor)) return refused(ASK_SIGNED_IN);
  const operationId = randomBytes(16).toString('hex');
  const stored = storedArguments(kind, found.bound, { operationId, secretBox });
  const row = await addRepair(transaction, {
    ...subject,
    requestKey,
    operationId,
    company: found.company,
    voucher_id: found.voucherId,
    topup_id: found.topupId,
    arguments: stored.open,
    sealed_arguments: stored.sealed,
    amount: formatMoney(found.amount),
    moves_value: found.movesValue,
    why,
    askedBy: actor,
    needsConfirmation,
    confirmSeconds: limits.confirmSeconds,
  });
  return { kind: 'asked', row };
}

const refused = (refusal: string): Asked => ({ kind: 'refused', refusal });

const thereIsNo = ({ subject }: RepairKind, given: string): Asked =>
  refused(`There is no ${subject} ${given}: find the case again.`);
