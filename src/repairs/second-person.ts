import type { DatabaseTransaction } from '../db/connection.js';
import { givenAlone } from '../db/repairs/given-alone.js';
import type { Judgement, RepairKind, RepairLimits } from './repair-kind.js';

/** Tells somebody of the command line that another person must confirm it. */
export const ASK_SIGNED_IN =
  'Two people are needed, and the command line does not say for certain who asks: ask at /support, where ' +
  'another person confirms it.';

/**
 * Whether a second person must confirm a repair: always, for its amount, or because its asker gives more
 * than the limit with it within 24 hours. `lockAsker` comes first; of a subject one of a kind is open at a
 * time.
 */
export async function needsSecondPerson(
  transaction: DatabaseTransaction,
  { isByTwo, amount, bound }: Judgement,
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
): Promise<boolean> {
  if (isByTwo || amount > confirmAbove) return true;
  if (!kind.givesValue(bound)) return false;
  const to = kind.isAddedUpBySubject ? { kind: kind.name, subject_id: subjectId } : undefined;
  const given = await givenAlone(transaction, { askedBy, to, exceptId });
  return given + amount > confirmAbove;
}
