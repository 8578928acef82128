import { type ApplicationFailure, upsertSearchAttributes } from '@temporalio/workflow';
import { isForeign } from '../addressed-input.ts';
import { showDetails } from '../current-details.ts';
import { needsAction } from '../search-attributes.ts';
import { needsPerson } from './failures.ts';

/** The operation of a result, and the number of its call. */
interface ResultName {
  readonly operationId: string;
  readonly call: number;
}

/** A result with the name of its call; a result from outside may lack it. */
export type Named<Result> = Result & { readonly of?: ResultName };

const notOfThisCall = {
  kind: 'unknown',
  message: 'an answer came that is not of this call',
} as const;

/** An activity that calls a provider, and names the call in its result. */
interface NamedActivity<Further extends unknown[], Result> {
  executeWithOptions(
    options: { readonly summary: string },
    given: [operationId: string, call: number, ...Further],
  ): Promise<Named<Result>>;
}

/**
 * Numbers the calls of an operation and checks that results belong to them. Anybody with access to
 * Temporal can copy an encrypted result to another place; such a result proves nothing.
 */
export function namedCalls(operationId: string) {
  let calls = 0;
  return async function namedCall<Further extends unknown[], Result extends object>(
    activity: NamedActivity<Further, Result>,
    summary: string,
    ...further: Further
  ): Promise<Result | typeof notOfThisCall> {
    calls += 1;
    const name = { operationId, call: calls };
    const result = await activity.executeWithOptions({ summary }, [operationId, calls, ...further]);
    return isOf(result, name) ? result : notOfThisCall;
  };
}

const isOf = (result: { readonly of?: ResultName } | null | undefined, name: ResultName): boolean =>
  result?.of?.operationId === name.operationId && result.of.call === name.call;

/** Whether the hold of a step belongs to this operation. */
export const isHeldBy = (operationId: string, hold: { readonly operationId: string }): boolean =>
  !isForeign(hold) && hold.operationId === operationId;

/**
 * The failure for a foreign hold: nothing is sent, and a person is called. The reconciliation
 * resumes the operation's own hold after this workflow has ended.
 */
export function raiseForeignHold(operationId: string): ApplicationFailure {
  upsertSearchAttributes([{ key: needsAction, value: true }]);
  showDetails(
    `**Somebody changed this workflow**: its hold does not belong to operation ${operationId}. The ` +
      'service sent nothing. Find out who can reach Temporal.',
  );
  return needsPerson('The hold belongs to another operation');
}
