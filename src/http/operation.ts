import { randomBytes, randomUUID } from 'node:crypto';
import { leaveRequest } from '../db/left-requests.js';
import {
  findOperation,
  isSuperseded,
  type StoredOperation,
  type StoredOutcome,
  storedOutcome,
} from '../db/operations.js';
import { describeError } from '../describe-error.js';
import { type Reason, type Refusal, refuse } from '../domain/errors.js';
import type { Caller } from '../domain/voucher.js';
import { StillProcessingError, WorkflowsUnavailableError } from './call-error.js';
import type { Services } from './services.js';

/** A request as an operation that is carried out once, however often it is sent (design 6). */
export interface OperationIdentity {
  readonly operationId: string;
  readonly kind: string;
  readonly requestId: string;
  readonly requestDigest: string;
  readonly company: Caller;
  readonly hasKey: boolean;
}

const RANDOM_ID_BYTES = 16;

/**
 * The identity of a request: the same id for the same company, kind and key, and a digest of its
 * validated content, so that spelling and order of fields make no difference.
 */
export function identify(
  services: Services,
  request: {
    readonly company: Caller;
    readonly kind: string;
    readonly key: string | undefined;
    readonly content: unknown;
  },
): OperationIdentity {
  const { company, kind, key } = request;
  return {
    operationId:
      key === undefined
        ? randomBytes(RANDOM_ID_BYTES).toString('hex')
        : services.digests.operation({ ownerKind: company.kind, ownerId: company.id, kind, key }),
    kind,
    requestId: randomUUID(),
    requestDigest: services.digests.request(`${kind} ${JSON.stringify(request.content)}`),
    company,
    hasKey: key !== undefined,
  };
}

/** What an operation came to, and whether it had come to it before. */
export interface OperationResult<Result> {
  readonly result: Result | Refusal;
  readonly replayed: boolean;
}

/**
 * Carries an operation out, or answers what it came to the first time. The database is asked first
 * where there is a key; duplicates that run at the same time meet in the workflow.
 */
export async function carryOut<Result>(
  services: Services,
  identity: OperationIdentity,
  run: () => Promise<StoredOutcome<Result>>,
): Promise<OperationResult<Result>> {
  const stored = identity.hasKey
    ? await findOperation(services.database, identity.operationId)
    : undefined;
  const answer = stored && storedAnswer<Result>(stored, identity);
  if (answer) return answer;
  const startedAt = performance.now();
  try {
    return resultFor(identity, await run());
  } catch (error) {
    if (!isOpen(error, identity)) throw error;
    return { result: refuse(await reasonToLeave(services, identity, startedAt)), replayed: false };
  }
}

/** A redemption without a key is only asked for again where the database knows that it was left. */
async function reasonToLeave(
  services: Services,
  identity: OperationIdentity,
  startedAt: number,
): Promise<Reason> {
  if (identity.hasKey || identity.kind !== 'redeem-gift') return 'still-processing';
  try {
    const waitedSeconds = (performance.now() - startedAt) / 1_000;
    await leaveRequest(services.database, identity, waitedSeconds);
    return 'still-processing';
  } catch (error) {
    services.logger.error(describeError(error), 'A redemption without a key could not be left');
    return 'redemption-unknown';
  }
}

/** Whether it may still be done: who has no key to repeat it with must not take it for undone. */
const isOpen = (error: unknown, { hasKey }: OperationIdentity): boolean =>
  error instanceof StillProcessingError ||
  (error instanceof WorkflowsUnavailableError && !error.isCertain && !hasKey);

function storedAnswer<Result>(
  operation: StoredOperation,
  identity: OperationIdentity,
): OperationResult<Result> | undefined {
  if (isSuperseded(operation, identity.requestDigest)) return undefined;
  if (operation.request_digest !== identity.requestDigest)
    return { result: refuse('key-reused'), replayed: false };
  if (operation.status === 'RUNNING') return undefined;
  return { result: storedOutcome<Result>(operation).result, replayed: true };
}

/** A workflow that another request had started before answers for that one. */
function resultFor<Result>(
  identity: OperationIdentity,
  outcome: StoredOutcome<Result>,
): OperationResult<Result> {
  if (outcome.requestDigest !== identity.requestDigest)
    return { result: refuse('key-reused'), replayed: false };
  return { result: outcome.result, replayed: outcome.requestId !== identity.requestId };
}
