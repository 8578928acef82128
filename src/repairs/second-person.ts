import type { Database } from '../db/connection.ts';
import { type Asking, movedAlone } from '../db/repairs/moved-alone.ts';
import { formatGroupedAmount, type Money } from '../domain/money.ts';
import type { Judgement, RepairLimits } from './repair-kind.ts';

/** Tells somebody of the command line that another person must confirm it. */
export const ASK_SIGNED_IN =
  'Two people are needed, and the command line does not say for certain who asks: ask at /support, where ' +
  'another person confirms it.';

/** Whether an amount of value is so large that two people are needed. */
export const isByTwo = (amount: Money, { confirmFrom }: Pick<RepairLimits, 'confirmFrom'>) =>
  amount > 0n && amount >= confirmFrom;

/**
 * Why a second person must confirm a repair, as the end of a sentence: always, for its amount, or for the
 * value that its asker moves with it within 24 hours. Undefined where nobody must.
 */
export async function whySecondPerson(
  database: Database,
  { byTwo, amount, movesValue }: Judgement,
  asking: Asking,
  limits: RepairLimits,
): Promise<string | undefined> {
  if (byTwo !== undefined) return byTwo;
  const limit = `ETB ${formatGroupedAmount(limits.confirmFrom)} or more`;
  if (isByTwo(amount, limits)) return `it is ${limit}`;
  if (!movesValue) return undefined;
  return isByTwo(amount + (await movedAlone(database, asking)), limits)
    ? `with what was moved within 24 hours it is ${limit}`
    : undefined;
}
