import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../crypto/secret-box.js';
import type { DatabaseTransaction } from '../db/connection.js';
import type { RepairRow } from '../db/repairs/audit-repair.js';
import { findRequestedRepair } from '../db/repairs/repair-lists.js';
import { addRepair } from '../db/repairs/repairs.js';
import { formatMoney } from '../domain/money.js';
import { maskMsisdn } from '../domain/phone.js';
import { refuseReason } from '../domain/repairs/reason.js';
import type { RepairKind, RepairLimits } from './repair-kind.js';

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
  /** The same form, or an open repair of its kind for the subject. */
  | { readonly kind: 'known' | 'asked'; readonly row: RepairRow };

/** Whether two people are needed. */
export const isByTwo = (
  { isByTwo: always }: RepairKind,
  amount: bigint,
  { confirmAbove }: RepairLimits,
): boolean => always || amount > confirmAbove;

/** Asks for a repair, where it is allowed at this moment; it is judged again when it is carried out. */
export async function askRepair(
  transaction: DatabaseTransaction,
  { kind, subjectId, args, why, actor, requestKey }: AskedRepair,
  { limits, secretBox }: { readonly limits: RepairLimits; readonly secretBox: () => SecretBox },
): Promise<Asked> {
  const refusal = refuseReason(why);
  if (refusal !== undefined) return { kind: 'refused', refusal };
  const same = await findRequestedRepair(transaction, requestKey);
  if (same) {
    const isSame = same.kind === kind.name && same.subject_id === subjectId;
    return isSame
      ? { kind: 'known', row: same }
      : { kind: 'refused', refusal: `This key belongs to repair ${same.id}: use another one.` };
  }
  const found = isName(kind, subjectId)
    ? await kind.judge(transaction, subjectId, args, limits)
    : undefined;
  if (!found)
    return {
      kind: 'refused',
      refusal: `There is no ${kind.subject} ${subjectId}: find the case again.`,
    };
  if (found.refusal !== undefined) return { kind: 'refused', refusal: found.refusal };
  const operationId = randomBytes(16).toString('hex');
  const { open, sealed } = splitArguments(kind, found.bound);
  const { row, isNew } = await addRepair(transaction, {
    requestKey,
    operationId,
    kind: kind.name,
    subject_kind: kind.subject,
    subject_id: subjectId,
    company: found.company,
    voucher_id: found.voucherId,
    topup_id: found.topupId,
    arguments: open,
    sealed_arguments:
      sealed === undefined ? null : secretBox().seal(sealed, contextOf(operationId)),
    amount: formatMoney(found.amount),
    why,
    askedBy: actor,
    needsConfirmation: isByTwo(kind, found.amount, limits),
    confirmSeconds: limits.confirmSeconds,
  });
  return { kind: isNew ? 'asked' : 'known', row };
}

/** All but deposits are named by an id. */
const isName = ({ subject }: RepairKind, subjectId: string): boolean =>
  subject === 'deposit' || /^[0-9]{1,15}$/.test(subjectId);

const contextOf = (operationId: string): string => `repair ${operationId}`;

/** The personal arguments as text, apart from all others. */
function splitArguments(
  { sealed: names }: RepairKind,
  args: Readonly<Record<string, unknown>>,
): { readonly open: Readonly<Record<string, unknown>>; readonly sealed: string | undefined } {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  const isSealed = ([name]: readonly [string, unknown]) => names.includes(name);
  const personal = entries.filter(isSealed);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSealed(entry))),
    sealed: personal.length === 0 ? undefined : JSON.stringify(Object.fromEntries(personal)),
  };
}

/** The number that a repair gives, masked; undefined where it gives none, or its key is gone. */
export function maskedNumberOf(
  row: Pick<RepairRow, 'arguments' | 'sealed_arguments' | 'operation_id'>,
  secretBox: SecretBox,
): string | undefined {
  try {
    const { msisdn } = argumentsOf(row, secretBox);
    return typeof msisdn === 'string' ? maskMsisdn(msisdn) : undefined;
  } catch {
    return undefined;
  }
}

/** All arguments of a repair; the personal ones are decrypted. */
export const argumentsOf = (
  row: Pick<RepairRow, 'arguments' | 'sealed_arguments' | 'operation_id'>,
  secretBox: SecretBox,
): Readonly<Record<string, unknown>> => ({
  ...row.arguments,
  ...(row.sealed_arguments === null
    ? {}
    : JSON.parse(secretBox.open(row.sealed_arguments, contextOf(row.operation_id)))),
});
