import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Digests, OperationName } from '../crypto/digests.ts';
import type { Database } from '../db/connection.ts';
import { secondsUntilTurn } from '../db/limits/daily-limits.ts';
import {
  findOperation,
  findOperations,
  isSameRequest,
  isSuperseded,
  type RequestDigest,
  recordAbandonedRequest,
  type StoredOperation,
  storedOutcome,
} from '../db/operations.ts';
import type { NumberBox } from '../domain/phone.ts';
import { type OperationOutcome, type Reason, type Refusal, refuse } from '../domain/refusals.ts';
import type { Caller, Company } from '../domain/vouchers/voucher.ts';
import type { Failpoint } from '../runtime/process/failpoint.ts';
import { describeError } from '../runtime/process/logger.ts';
import { StillProcessingError, WorkflowsUnavailableError } from './call-errors.ts';
import type { QuotedProviders } from './quotes.ts';
import type { WorkflowClient } from './workflow-calls.ts';

/** The ids in the log line of a request, so that its workflow and its rows are found. */
interface LoggedFacts {
  readonly operationId?: string;
  readonly workflowId?: string;
}

/** The dependencies of operations. */
export interface OperationServices {
  readonly database: Database;
  readonly workflows: WorkflowClient;
  readonly waits: ReturnType<typeof createOperationWaits>;
  readonly digests: Digests;
  readonly numbers: NumberBox;
  readonly logger: Logger;
  readonly failpoint: Failpoint;
  readonly quotedProviders: QuotedProviders;
  /** Adds to the log line of the request that is being handled; absent where none is. */
  readonly noteInLog?: (facts: LoggedFacts) => void;
  readonly settings: Pick<Config, 'http' | 'market' | 'vouchers' | 'topups'>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null means absent, and the order of fields is irrelevant. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  const sorted = present.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, field]) => [name, canonical(field)]));
}

/** The keyed digest of a request's validated content; its rules never change. */
export const digestRequest = (digests: Digests, kind: string, content: unknown): string =>
  digests.request(`${kind} ${JSON.stringify(canonical(content))}`);

/** A request as an operation that runs once, even if it is sent repeatedly. */
export interface RequestIdentity extends RequestDigest {
  readonly operationId: string;
  readonly kind: string;
  readonly requestId: string;
  readonly company: Caller;
  readonly hasKey: boolean;
}

const RANDOM_ID_BYTES = 16;

/**
 * The identity of a request: an id from company, kind and key, and a digest of its validated
 * content, so that format and order of fields make no difference. A repetition without a key is known by its digest
 * alone. So the digest differs from that of the same content under a key, which is another request.
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
  const operationId =
    key === undefined
      ? randomBytes(RANDOM_ID_BYTES).toString('hex')
      : services.digests.operation({ company, kind, key });
  services.noteInLog?.({ operationId });
  return {
    operationId,
    kind,
    requestId: randomUUID(),
    requestDigest: digestRequest(
      services.digests,
      key === undefined ? `${kind} without a key` : kind,
      request.content,
    ),
    company,
    hasKey: key !== undefined,
  };
}

/** Whether a request under a key has begun, and was not refused. */
export async function hasBegun(
  services: Pick<OperationServices, 'database' | 'digests'>,
  operation: OperationName,
): Promise<boolean> {
  const id = services.digests.operation(operation);
  const known = (await findOperations(services.database, [id])).get(id);
  return known !== undefined && known.status !== 'REFUSED';
}

/** The outcome of an operation, and whether it was stored before. */
export interface OperationResult<Result> {
  readonly result: Result | Refusal;
  readonly replayed: boolean;
}

/** Runs an operation as the request that began it, and answers until the deadline. */
export type Run<Result> = (
  identity: RequestIdentity,
  deadline: number,
) => Promise<OperationOutcome<Result>>;

/**
 * Runs an operation, or answers its stored outcome. With a key the database is read first, without
 * one `look` decides; repetitions of a running operation wait for its row.
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
    return await answerOrRun(services, identity, { run, look, stored, deadline });
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
    readonly look: () => Promise<StoredOperation | undefined>;
    readonly stored: StoredOperation | undefined;
    readonly deadline: number;
  },
): Promise<OperationResult<Result>> {
  const { run, look, stored, deadline } = steps;
  if (!stored || isSuperseded(stored, identity))
    return resultFor(identity, await run(identity, deadline));
  const answer = storedAnswer<Result>(stored, identity);
  if (answer) return answer;
  const settled = await whileOthersWait(services, identity, stored, deadline);
  if (settled !== 'runs') {
    // The operation that this request has seen is gone: the request begins again.
    const seen = settled ?? (await look());
    return answerOrRun(services, identity, { ...steps, stored: seen });
  }
  // With the id of the first request the call repeats the same workflow update.
  const asFirst = { ...identity, requestId: stored.request_id };
  return resultFor(identity, await run(asFirst, deadline));
}

/**
 * Waits for the row of a running operation as long as its first caller does; an older operation may
 * have lost its workflow.
 */
async function whileOthersWait(
  { waits }: OperationServices,
  { operationId }: RequestIdentity,
  { age_seconds, request_id }: StoredOperation,
  deadline: number,
): Promise<StoredOperation | undefined | 'runs'> {
  if (age_seconds === null || age_seconds === undefined) return 'runs';
  const patience = Date.now() + waits.callerWaitMs - age_seconds * 1_000;
  if (patience <= Date.now()) return 'runs';
  try {
    const until = Math.min(patience, deadline);
    return await waits.untilSettled(operationId, request_id, until);
  } catch (error) {
    if (error instanceof StillProcessingError && patience < deadline) return 'runs';
    throw error;
  }
}

/**
 * The reason for a caller whose time has run out. With a key the caller repeats the request. A
 * redemption without a key can be repeated as well, if the database could record that it was
 * abandoned. A generation without a key cannot, because it would generate another voucher. A top-up
 * already has its number.
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

/** Whether the operation may still happen: a caller without a key must not treat it as undone. */
const isOpen = (error: unknown, { hasKey }: RequestIdentity): boolean =>
  error instanceof StillProcessingError ||
  (error instanceof WorkflowsUnavailableError && !error.isCertain && !hasKey);

/** The answer of an operation; undefined while it is running. */
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

/** A workflow that another request started returns the answer to that request. */
function resultFor<Result>(
  identity: RequestIdentity,
  outcome: OperationOutcome<Result>,
): OperationResult<Result> {
  if (!isSameRequest(outcome.requestDigest, identity))
    return { result: refuse('key-reused'), replayed: false };
  return { result: outcome.result, replayed: outcome.requestId !== identity.requestId };
}

/**
 * Slows a company that has sent too many wrong verification codes today: its comparisons run one at
 * a time with pauses; other companies proceed at once. When too many of its requests are waiting,
 * the answer is to return later. A request waits for half of its time at most: its redemption needs
 * the rest.
 */
export async function waitForTurn(
  { database, settings }: Pick<OperationServices, 'database' | 'settings'>,
  company: Company,
  deadline: number,
): Promise<Refusal | undefined> {
  const seconds = await secondsUntilTurn(database, company, {
    ...settings.vouchers,
    longestWaitSeconds: (deadline - Date.now()) / 2_000,
  });
  if (seconds === undefined)
    return refuse('too-many-requests', {
      detail: 'after too many wrong verification codes today, your redemptions run one at a time',
      retryAfterSeconds: Math.ceil(settings.http.callerWaitSeconds),
    });
  if (seconds > 0) await sleep(seconds * 1_000);
  return undefined;
}

/** Interval of the one query for all rows that callers of this process wait for. */
const INTERVAL_MS = 100;

interface Waiter {
  readonly requestId: string;
  /** Called with undefined where the row is gone, or belongs to another request. */
  resolve(operation: StoredOperation | undefined): void;
}

/**
 * Repetitions wait for the row of the operation instead of its workflow, because a workflow accepts
 * a limited number of updates. A process sends one query per interval for any number of waiting
 * callers.
 */
export function createOperationWaits(options: {
  readonly database: Database;
  readonly logger: Logger;
  /** The longest wait of a caller for its answer. */
  readonly callerWaitMs: number;
}) {
  const { database, logger, callerWaitMs } = options;
  const waiting = new Map<string, Set<Waiter>>();
  let isAsking = false;

  /**
   * Waits until an operation of another request is settled; undefined where its row is gone,
   * because it was refused and deleted. A further request under the key may have begun since.
   *
   * @throws StillProcessingError when it is still running at the deadline
   */
  async function untilSettled(operationId: string, requestId: string, deadline: number) {
    const waiters = waiting.get(operationId) ?? new Set();
    waiting.set(operationId, waiters);
    let timer: NodeJS.Timeout | undefined;
    let waiter: Waiter | undefined;
    try {
      return await new Promise<StoredOperation | undefined>((resolve, reject) => {
        const timeIsUp = () => reject(new StillProcessingError('The operation still runs'));
        timer = setTimeout(timeIsUp, deadline - Date.now());
        waiter = { requestId, resolve };
        waiters.add(waiter);
        ask();
      });
    } finally {
      clearTimeout(timer);
      if (waiter) waiters.delete(waiter);
      if (waiters.size === 0) waiting.delete(operationId);
    }
  }

  /** Polls while there are waiting callers, one query at a time. */
  function ask(): void {
    if (isAsking) return;
    isAsking = true;
    setTimeout(async () => {
      try {
        await answer();
      } catch (error) {
        logger.warn(describeError(error), 'Could not read the operations that callers wait for');
      }
      isAsking = false;
      if (waiting.size > 0) ask();
    }, INTERVAL_MS);
  }

  async function answer(): Promise<void> {
    const ids = [...waiting.keys()];
    if (ids.length === 0) return;
    const found = await findOperations(database, ids);
    for (const id of ids) {
      const operation = found.get(id);
      const isRunning = operation?.status === 'RUNNING';
      for (const { requestId, resolve } of waiting.get(id) ?? [])
        if (!isRunning) resolve(operation);
        else if (operation.request_id !== requestId) resolve(undefined);
    }
  }

  return { callerWaitMs, untilSettled };
}
