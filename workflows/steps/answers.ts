import type { UpdateDefinition } from '@temporalio/common';
import { proxySinks, type Sinks, setHandler } from '@temporalio/workflow';
import type { AccountChecked } from '../../src/domain/payout-account.ts';
import { isFinal, type OperationOutcome } from '../../src/domain/refusals.ts';
import { countAnswer } from '../interceptors/count-outcomes.ts';

/** What a workflow tells the process of its worker. */
export interface AnswerSinks extends Sinks {
  answers: { tell(answer: unknown, isKept: boolean): void };
}

type Outcome = OperationOutcome<{ readonly ok: true }>;

/**
 * Whether the database keeps an answer. A refusal that is not final leaves no row. If Temporal has not
 * recorded it either, another task of the workflow decides again.
 */
const isKept = (answer: Outcome | AccountChecked): boolean =>
  !('result' in answer) || answer.result.ok || isFinal(answer.result);

/**
 * Tells its answer to the caller that started this workflow, if it waits in the process of the worker. Where the
 * database keeps the answer, that caller need not wait until Temporal has recorded it. A replay tells nothing, and
 * histories do not know of it.
 */
export const tellCaller = (answer: Outcome | AccountChecked): void =>
  proxySinks<AnswerSinks>().answers.tell(answer, isKept(answer));

/** Answers the call that started this workflow. Callers in other processes ask by an update. */
export function answerCall<Answer extends Outcome>(
  update: UpdateDefinition<Answer, []>,
  answer: Promise<Answer>,
  options: { readonly description: string; readonly validator: () => void },
): void {
  setHandler(update, () => answer, options);
  countAnswer(update.name, answer);
  // Where there is no answer, the workflow fails by itself.
  answer.then(tellCaller, () => {});
}
