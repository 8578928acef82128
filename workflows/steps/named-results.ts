import { ApplicationFailure, upsertSearchAttributes } from '@temporalio/workflow';
import { showDetails } from '../current-details.js';
import { isForeign } from '../outsiders/foreign-payload.js';
import { needsAction } from '../search-attributes.js';

/** Says of which operation a result is, and of which of its calls. */
interface ResultName {
  readonly operationId: string;
  readonly call: number;
}

/** A result that says where it belongs. */
export type Named<Result> = Result & { readonly of?: ResultName };

interface NotOfThisCall {
  readonly kind: 'unknown';
  readonly message: string;
}

const notOfThisCall: NotOfThisCall = {
  kind: 'unknown',
  message: 'an answer came that is not of this call',
};

/**
 * Numbers the calls of an operation and compares what comes back with them: an encrypted result can be
 * copied to another place by whoever reaches Temporal, and such a one tells nothing (design 10).
 * Workflows that began before results had names take them as they are.
 */
export function namedCalls(operationId: string, areNamed = false) {
  let calls = 0;
  return function namedCall<Result extends object>(
    run: (call: number) => Promise<Named<Result>>,
  ): Promise<Result | NotOfThisCall> {
    calls += 1;
    const call = calls;
    const result = run(call);
    // Not one promise more than they had: the order of what goes on at the same time depends on it.
    if (!areNamed) return result;
    return result.then((named) => (isOf(named, { operationId, call }) ? named : notOfThisCall));
  };
}

const isOf = (result: { readonly of?: ResultName } | null | undefined, name: ResultName): boolean =>
  result?.of?.operationId === name.operationId && result.of.call === name.call;

/** Whether what a step says to be on hold is on hold for this operation. */
export const isHeldBy = (
  operationId: string,
  areNamed: boolean | undefined,
  hold: { readonly operationId: string },
): boolean => !isForeign(hold) && (!areNamed || hold.operationId === operationId);

/**
 * For a hold that is not the operation's: nothing is sent on it, and a person is told. What the
 * operation itself holds is taken up by the reconciliation once this workflow has ended.
 */
export function raiseForeignHold(operationId: string): ApplicationFailure {
  upsertSearchAttributes([{ key: needsAction, value: true }]);
  showDetails(
    `**Somebody has changed this workflow**: what is said to be on hold for operation ${operationId} ` +
      'is not. Nothing was sent. Find out who can reach Temporal.',
  );
  return ApplicationFailure.nonRetryable('What is on hold is not of this operation', 'NeedsAction');
}
