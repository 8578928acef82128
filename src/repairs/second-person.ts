import type { Database } from '../db/connection.ts';
import { givenAlone } from '../db/repairs/given-alone.ts';
import { formatGroupedAmount } from '../domain/money.ts';
import type { Judgement, RepairKind, RepairLimits } from './repair-kind.ts';

/** Tells somebody of the command line that another person must confirm it. */
export const ASK_SIGNED_IN =
  'Two people are needed, and the command line does not say for certain who asks: ask at /support, where ' +
  'another person confirms it.';

/**
 * Why a second person must confirm a repair, as the end of a sentence: always, for its amount, or because its
 * asker gives more than the limit with it within 24 hours. Undefined where nobody must. Who decides by it has
 * called `lockAsker` first; of a subject one of a kind is open at a time.
 */
export async function whySecondPerson(
  database: Database,
  { byTwo, amount, bound }: Judgement,
  {
    kind,
    subjectId,
    askedBy,
    limits: { confirmAbove },
    exceptId,
  }: {
    readonly kind: RepairKind;
    readonly subjectId: string;
    readonly askedBy: string;
    readonly limits: RepairLimits;
    /** Its own row, if it has one. */
    readonly exceptId?: number;
  },
): Promise<string | undefined> {
  if (byTwo !== undefined) return byTwo;
  const limit = `ETB ${formatGroupedAmount(confirmAbove)}`;
  if (amount > confirmAbove) return `it is above ${limit}`;
  if (!kind.givesValue(bound)) return undefined;
  const to = kind.isAddedUpBySubject ? { kind: kind.name, subject_id: subjectId } : undefined;
  const given = await givenAlone(database, { askedBy, to, exceptId });
  return given + amount > confirmAbove
    ? `with what was given within 24 hours it is above ${limit}`
    : undefined;
}
