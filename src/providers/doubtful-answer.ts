import type { HttpAnswer, HttpResult } from './http-call.ts';
import type { ProviderInquiry, ProviderOutcome } from './outcome.ts';

/** The provider may have it under our reference: its outcome needs an inquiry. */
export interface DoubtfulAnswer {
  readonly kind: 'look-up';
  /** What is known where the provider has never seen it. */
  readonly otherwise: ProviderOutcome;
}

/** The outcome of a sending by its answer, or by an inquiry where the answer leaves it open. */
export async function readOrLookUp(
  answer: HttpResult,
  read: (answer: HttpAnswer) => ProviderOutcome | DoubtfulAnswer,
  find: () => Promise<ProviderInquiry | { readonly kind: 'not-listed' }>,
): Promise<ProviderOutcome> {
  if (answer.kind !== 'answered') return answer;
  const outcome = read(answer);
  if (outcome.kind !== 'look-up') return outcome;
  const found = await find();
  return found.kind === 'never-seen' || found.kind === 'not-listed' ? outcome.otherwise : found;
}
