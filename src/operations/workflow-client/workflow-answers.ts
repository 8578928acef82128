import type { Client } from '@temporalio/client';
import type { Failpoint, FailpointName } from '../../runtime/process/failpoint.ts';
import type { Reachability } from '../../runtime/temporal/connection.ts';
import {
  callError,
  foundNobody,
  missedWorkflow,
  StillProcessingError,
  WorkflowsUnavailableError,
} from './workflow-errors.ts';

/**
 * Makes a call and waits for its answer until a deadline; reports `step` to the failpoint once it
 * is sent.
 */
export type AnswerOf = <Answer>(
  step: FailpointName | undefined,
  deadline: number,
  call: () => Promise<Answer>,
) => Promise<Answer>;

/** Several companies that claim one voucher at once can interrupt a workflow more than once. */
const MAXIMUM_CALLS = 4;

/**
 * Creates the function that waits for answers of workflows.
 *
 * @throws StillProcessingError, WorkflowsUnavailableError
 */
export function createAnswers(options: {
  readonly client: Client;
  readonly reachability: Reachability;
  readonly failpoint: Failpoint;
}): AnswerOf {
  const { client, reachability, failpoint } = options;

  /** A call that missed its workflow, for example at its end, is repeated. */
  return async <Answer>(
    step: FailpointName | undefined,
    deadline: number,
    call: () => Promise<Answer>,
  ): Promise<Answer> => {
    const callOnce = async (isFirst: boolean) => {
      // After the first call nobody can rule out that something was started.
      if (!(await reachability.isReachable())) throw new WorkflowsUnavailableError(isFirst);
      const calling = client.withDeadline(deadline, call);
      calling.catch((error) => foundNobody(error) && reachability.doubt());
      const answer = before(deadline, calling);
      // If a test fails this step, nobody awaits the answer.
      answer.catch(() => {});
      if (step) await failpoint(step);
      return answer;
    };
    for (let calls = 1; ; calls += 1) {
      try {
        return await callOnce(calls === 1);
      } catch (error) {
        if (calls === MAXIMUM_CALLS || !missedWorkflow(error)) throw callError(error);
      }
    }
  };
}

/**
 * The native client may restart its timeout when it retries a call, so this timer enforces ours.
 */
async function before<Answer>(deadline: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<never>((_resolve, reject) => {
    const error = new StillProcessingError('The workflow has not answered yet');
    timer = setTimeout(() => reject(error), deadline - Date.now());
  });
  // The call itself ends later, when nobody awaits it.
  answer.catch(() => {});
  return Promise.race([answer, timeIsUp]).finally(() => clearTimeout(timer));
}
