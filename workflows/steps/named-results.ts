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

/** A result with the name of its call; what somebody else gave may lack it. */
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
 * Numbers the calls of an operation and checks that results belong to them. Anybody with access to
 * Temporal can copy an encrypted result to another place; such a result proves nothing.
 */
export function namedCalls(operationId: string) {
  let calls = 0;
  return async function namedCall<Result extends object>(
    run: (call: number) => Promise<Named<Result>>,
  ): Promise<Result | NotOfThisCall> {
    calls += 1;
    const name = { operationId, call: calls };
    const result = await run(name.call);
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
