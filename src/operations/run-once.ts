import { randomBytes, randomUUID } from 'node:crypto';
import { recordAbandonedRequest } from '../db/operations/abandoned-requests.js';
import { isSuperseded, type StoredOutcome, storedOutcome } from '../db/operations/operations.js';
import {
  findOperation,
  isSameRequest,
  type RequestDigests,
  type StoredOperation,
} from '../db/operations/stored-operations.js';
import { type Reason, type Refusal, refuse } from '../domain/errors.js';
import type { Caller } from '../domain/voucher.js';
import { describeError } from '../process/describe-error.js';
import { digestRequest } from './request-identity.js';
import type { OperationServices } from './services.js';
import { StillProcessingError, WorkflowsUnavailableError } from './workflow-errors.js';

/** A request as an operation that is carried out once, however often it is sent (design 6). */
export interface RequestIdentity extends RequestDigests {
  readonly operationId: string;
  readonly kind: string;
  readonly requestId: string;
  readonly company: Caller;
  readonly hasKey: boolean;
}

const RANDOM_ID_BYTES = 16;

/**
 * The identity of a request: the same id for the same company, kind and key, and digests of its
 * validated content, so that spelling and order of fields make no difference.
 */
export function identify(
  services: OperationServices,
  request: {
    readonly company: Caller;
    readonly kind: string;
    readonly key: string | undefined;
    readonly content: unknown;
  },
): RequestIdentity {
  const { company, kind, key } = request;
  return {
    operationId:
      key === undefined
        ? randomBytes(RANDOM_ID_BYTES).toString('hex')
        : services.digests.operation({ ownerKind: company.kind, ownerId: company.id, kind, key }),
    kind,
    requestId: randomUUID(),
    ...digestRequest(services.digests, kind, request.content),
    company,
    hasKey: key !== undefined,
  };
}

/** What an operation came to, and whether it had come to it before. */
export interface OperationResult<Result> {
  readonly result: Result | Refusal;
  readonly replayed: boolean;
}

/** Carries an operation out, as the request that began it, and answers until the deadline. */
export type Run<Result> = (
  identity: RequestIdentity,
  deadline: number,
) => Promise<StoredOutcome<Result>>;

/**
 * Carries an operation out, or answers what it came to the first time. The database is asked first
 * where there is a key, or as `look` does it; repetitions of what runs wait for its row.
 */
export async function runOnce<Result>(
  services: OperationServices,
  identity: RequestIdentity,
  run: Run<Result>,
  look: () => Promise<StoredOperation | undefined> = () => lookUp(services, identity),
): Promise<OperationResult<Result>> {
  const startedAt = performance.now();
  const deadline = Date.now() + services.waits.callerWaitMs;
  const stored = await look();
  try {
    return await answerOrRun(services, identity, { run, stored, deadline });
  } catch (error) {
    if (!isOpen(error, identity)) throw error;
    const reason = await reasonOfOpenEnd(services, identity, startedAt);
    return { result: refuse(reason), replayed: false };
  }
}

const lookUp = async (
  { database }: OperationServices,
  { hasKey, kind, operationId }: RequestIdentity,
) => (hasKey ? findOperation(database, kind, operationId) : undefined);

async function answerOrRun<Result>(
  services: OperationServices,
  identity: RequestIdentity,
  steps: {
    readonly run: Run<Result>;
    readonly stored: StoredOperation | undefined;
    readonly deadline: number;
  },
): Promise<OperationResult<Result>> {
  const { run, stored, deadline } = steps;
  if (!stored || isSuperseded(stored, identity))
    return resultFor(identity, await run(identity, deadline));
  const answer = storedAnswer<Result>(stored, identity);
  if (answer) return answer;
  const settled = await whileOthersWait(services, identity, stored, deadline);
  if (settled !== 'runs') return answerOrRun(services, identity, { ...steps, stored: settled });
  // Under the id of the request that began it, the same update of the workflow is asked once more.
  const asFirst = { ...identity, requestId: stored.request_id };
  return resultFor(identity, await run(asFirst, deadline));
}

/**
 * Waits for the row of an operation that runs for as long as the caller that began it waits; one that
 * runs for longer may have lost its workflow.
 */
async function whileOthersWait(
  { waits }: OperationServices,
  { operationId }: RequestIdentity,
  { age_seconds }: StoredOperation,
  deadline: number,
): Promise<StoredOperation | undefined | 'runs'> {
  if (age_seconds === null || age_seconds === undefined) return 'runs';
  const patience = Date.now() + waits.callerWaitMs - age_seconds * 1_000;
  if (patience <= Date.now()) return 'runs';
  try {
    return await waits.untilSettled(operationId, Math.min(patience, deadline));
  } catch (error) {
    if (error instanceof StillProcessingError && patience < deadline) return 'runs';
    throw error;
  }
}

/**
 * What a caller is told whose time ran out. With a key it repeats the request. A redemption without one
 * gets the same answer by repeating it, provided that the database knows that it was abandoned; another
 * voucher would be generated. A top-up was given its number before.
 */
async function reasonOfOpenEnd(
  services: OperationServices,
  identity: RequestIdentity,
  startedAt: number,
): Promise<Reason> {
  if (identity.hasKey) return 'still-processing';
  if (identity.kind === 'generate-voucher') return 'generation-unknown';
  if (identity.kind !== 'redeem-gift') return 'still-processing';
  try {
    const waitedSeconds = (performance.now() - startedAt) / 1_000;
    await recordAbandonedRequest(services.database, identity, waitedSeconds);
    return 'still-processing';
  } catch (error) {
    services.logger.error(describeError(error), 'Could not record an abandoned redemption');
    return 'redemption-unknown';
  }
}

/** Whether it may still be done: who has no key to repeat it with must not take it for undone. */
const isOpen = (error: unknown, { hasKey }: RequestIdentity): boolean =>
  error instanceof StillProcessingError ||
  (error instanceof WorkflowsUnavailableError && !error.isCertain && !hasKey);

/** The answer of an operation; undefined while it runs. */
export function storedAnswer<Result>(
  operation: StoredOperation,
  identity: RequestIdentity,
): OperationResult<Result> | undefined {
  if (!isSameRequest(operation.request_digest, identity))
    return { result: refuse('key-reused'), replayed: false };
  if (operation.status === 'RUNNING') return undefined;
  const { result, requestId } = storedOutcome<Result>(operation);
  return { result, replayed: requestId !== identity.requestId };
}

/** A workflow that another request had started before answers for that one. */
function resultFor<Result>(
  identity: RequestIdentity,
  outcome: StoredOutcome<Result>,
): OperationResult<Result> {
  if (!isSameRequest(outcome.requestDigest, identity))
    return { result: refuse('key-reused'), replayed: false };
  return { result: outcome.result, replayed: outcome.requestId !== identity.requestId };
}
