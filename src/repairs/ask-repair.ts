import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import { findRequestedRepair } from '../db/repairs/repair-lists.ts';
import {
  type Asking,
  addRepair,
  findOpenRepair,
  isReceiptUsed,
  lockAsker,
  lockAsking,
  lockReceipt,
  movedUnconfirmed,
  type ProviderReceipt,
  type RepairRow,
} from '../db/repairs/repairs.ts';
import { isStaffActor } from '../domain/access.ts';
import { formatGroupedAmount, formatMoney, type Money } from '../domain/money.ts';
import { keptReason } from '../domain/repairs.ts';
import {
  choiceArgument,
  HAS_CHANGED,
  hasArguments,
  type Judgement,
  type RepairBasis,
  type RepairKind,
  referenceArgument,
  storedArguments,
} from './repair-kind.ts';

/** Tells somebody of the command line that another person must confirm it. */
export const ASK_SIGNED_IN =
  'Two people are needed, and the command line does not say for certain who asks: ask at /support, where ' +
  'another person confirms it.';

/** Whether an amount of value is so large that two people are needed. */
export const isByTwo = (
  amount: Money,
  { repairConfirmFrom }: Pick<Config['repairs'], 'repairConfirmFrom'>,
) => amount > 0n && amount >= repairConfirmFrom;

/**
 * Why a second person must confirm a repair, as the end of a sentence. The reason is the kind, its
 * amount, or the value that its asker moves with it within 24 hours. Undefined where no second
 * person is needed.
 */
export async function whySecondPerson(
  database: Database,
  { byTwo, amount, movesValue }: Judgement,
  asking: Asking,
  { repairs }: RepairBasis['settings'],
): Promise<string | undefined> {
  if (byTwo !== undefined) return byTwo;
  const limit = `ETB ${formatGroupedAmount(repairs.repairConfirmFrom)} or more`;
  if (isByTwo(amount, repairs)) return `it is ${limit}`;
  if (!movesValue) return undefined;
  const { byAsker, ofSubject } = await movedUnconfirmed(database, asking);
  const [moved, who] =
    byAsker > ofSubject
      ? [byAsker, 'its asker']
      : [ofSubject, 'the same repair of the same subject'];
  if (!isByTwo(amount + moved, repairs)) return undefined;
  return `${who} has moved ETB ${formatGroupedAmount(moved)} alone within 24 hours, and with this it is ${limit}`;
}

/** A repair as somebody asks for it. */
interface AskedRepair {
  readonly kind: RepairKind;
  readonly subjectId: string;
  /** As the fields of the kind read them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Numbers and codes of customers are taken out of it. */
  readonly why: string;
  /** A name, or that of a person of the service. */
  readonly actor: string;
  /** Of the form; random. */
  readonly requestKey: string;
  /** The facts that its asker saw, on the form or by a command; empty where the kind has none. */
  readonly binding: string;
}

/** The result of a request for a repair. */
export type Asked =
  | { readonly kind: 'refused'; readonly refusal: string }
  /** The same form, or the same repair while it is open. */
  | { readonly kind: 'known' | 'asked'; readonly row: RepairRow };

/** Asks for a repair, where it is allowed at this moment; it is judged again when it is carried out. */
export async function askRepair(
  transaction: DatabaseTransaction,
  { kind, subjectId: given, args, why: typed, actor, requestKey, binding }: AskedRepair,
  { secretBox, ...basis }: RepairBasis & { readonly secretBox: () => SecretBox },
): Promise<Asked> {
  const why = keptReason(typed);
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
  const found = await kind.judge(transaction, subjectId, args, basis);
  if (!found) return thereIsNo(kind, given);
  if (found.refusal !== undefined) return refused(found.refusal);
  if (binding !== found.binding) return refused(HAS_CHANGED);
  const open = await findOpenRepair(transaction, subject);
  if (open)
    return hasArguments(open, found.bound, { secretBox })
      ? { kind: 'known', row: open }
      : refused(`Repair ${open.id} is open for this: wait until it has ended.`);
  const asking = { ...subject, asked_by: actor };
  const needsConfirmation =
    (await whySecondPerson(transaction, found, asking, basis.settings)) !== undefined;
  if (needsConfirmation && !isStaffActor(actor)) return refused(ASK_SIGNED_IN);
  const operationId = randomBytes(16).toString('hex');
  const stored = storedArguments(kind, found.bound, { operationId, secretBox });
  const row = await addRepair(transaction, {
    ...asking,
    request_key: requestKey,
    operation_id: operationId,
    company: found.company,
    voucher_id: found.voucherId,
    topup_id: found.topupId,
    arguments: stored.open,
    sealed_arguments: stored.sealed,
    amount: formatMoney(found.amount),
    moves_value: found.movesValue,
    why,
    needs_confirmation: needsConfirmation,
    confirmSeconds: basis.settings.repairs.repairConfirmSeconds,
  });
  return { kind: 'asked', row };
}

const refused = (refusal: string): Asked => ({ kind: 'refused', refusal });

const thereIsNo = ({ subject }: RepairKind, given: string): Asked =>
  refused(`There is no ${subject} ${given}: find the case again.`);

/** How a provider said that a payment or a top-up ended. */
export interface Decision {
  readonly outcome: 'done' | 'not-done';
  readonly reference: string;
}

/** The fields of a settlement by hand. */
export const decisionFields = (question: string) =>
  z.object({
    outcome: choiceArgument(['done', 'not-done'], question),
    // A merchant or a customer is given it.
    reference: referenceArgument('The provider’s reference'),
    letter: referenceArgument('Letter’s reference, if any').optional(),
  });

/**
 * The lock and the facts of a repair that books what a provider said. Settlements under one reference of a provider are
 * judged one after another. The fact `usedBefore` refuses a reference that names another payment, reversal or top-up.
 *
 * @param settledBy undefined where nothing can be settled
 */
export const ofDecision = <Facts extends object>(
  of: {
    readonly lock: (transaction: DatabaseTransaction, subjectId: string) => Promise<unknown>;
    readonly read: (database: Database, subjectId: string) => Promise<Facts | undefined>;
  },
  settledBy: (facts: Facts) => Omit<ProviderReceipt, 'reference'> | undefined,
) => ({
  async lock(
    transaction: DatabaseTransaction,
    subjectId: string,
    { outcome, reference }: Decision,
  ): Promise<void> {
    if (outcome === 'done') await lockReceipt(transaction, reference);
    await of.lock(transaction, subjectId);
  },
  async read(database: Database, subjectId: string, { outcome, reference }: Decision) {
    const facts = await of.read(database, subjectId);
    const settled = facts && outcome === 'done' ? settledBy(facts) : undefined;
    const isUsed = settled && (await isReceiptUsed(database, { ...settled, reference }));
    return facts && { ...facts, usedBefore: isUsed ? usedBefore(reference) : undefined };
  },
});

const usedBefore = (reference: string): string =>
  `The reference ${reference} belongs to another payment, reversal or top-up already. Find it, and ask the provider for the right reference.`;
