import { Client, isGrpcServiceError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../../config/config.ts';
import type { SecretKey } from '../../crypto/secret-box.ts';
import { HEALTH_LIMIT_MS } from '../process/health.ts';
import { tracing } from '../tracing/tracing.ts';
import { type Answers, createAnswers } from './answers.ts';
import { addressCalls, traceCalls } from './interceptors.ts';
import { createPayloadCodec, type ForeignPayloads } from './payload-codec.ts';
import { type TemporalServer, takesConnections, temporalServerOf } from './temporal-server.ts';
import { failureConverterPath } from './workflow-bundle.ts';

export type Reachability = ReturnType<typeof createReachability>;

/**
 * Whether a server accepts connections. The client's own calls fail only after seconds of retries,
 * and cannot tell whether the first attempt arrived. So after a failed call this probes the
 * connection first; a refused connection proves that nothing was sent.
 */
export function createReachability(address: string) {
  let isDoubted = false;
  let probing: Promise<boolean> | undefined;

  async function probe(): Promise<boolean> {
    const answers = await takesConnections(address);
    if (answers) isDoubted = false;
    probing = undefined;
    return answers;
  }

  return {
    /** Called after a failed call; the next calls probe first. */
    doubt(): void {
      isDoubted = true;
    },

    /** Without doubt it costs nothing. Concurrent callers share one probe. */
    isReachable(): Promise<boolean> | true {
      if (!isDoubted) return true;
      probing ??= probe();
      return probing;
    },
  };
}

/**
 * The data converter of client and worker. A worker must not fail on foreign data, so its codec
 * marks foreign payloads; a client refuses them.
 */
export const createDataConverter = (
  payloadKeys: readonly SecretKey[],
  foreign: Exclude<ForeignPayloads, 'pass'> = 'mark',
): DataConverter => ({
  failureConverterPath,
  payloadCodecs: [createPayloadCodec(payloadKeys, foreign)],
});

/** Temporal cannot be reached; the message names its setting. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';

  constructor(address: string, cause: unknown) {
    super(`Temporal cannot be reached at ${address} (TEMPORAL_ADDRESS)`, { cause });
  }
}

export interface TemporalConnection {
  readonly connection: NativeConnection;
  readonly client: Client;
  readonly namespace: string;
  /** For the worker; the client has its own. */
  readonly dataConverter: DataConverter;
  readonly reachability: Reachability;
  /** What workers on this connection answer to callers on it. */
  readonly answers: Answers;
}

/**
 * Ends where Temporal answers and has the namespace.
 *
 * @throws after the time limit, too
 */
export const requireNamespace = ({ client, namespace }: TemporalConnection): Promise<unknown> =>
  client.withDeadline(Date.now() + HEALTH_LIMIT_MS, () =>
    client.workflowService.describeNamespace({ namespace }),
  );

/** Connects as the settings of a process say. */
export const connectBySettings = ({
  temporal,
  secrets,
  http,
}: Pick<Config, 'temporal' | 'secrets' | 'http'>): Promise<TemporalConnection> =>
  connectTemporal({
    ...temporalServerOf(temporal),
    payloadKeys: secrets.payloadKeys,
    publicUrl: http.publicUrl,
  });

/**
 * Connects to Temporal over the native connection. A worker of the same process may share it, which
 * is required for eager workflow starts. Close the connection after all its workers have stopped.
 *
 * @throws when the server cannot be reached
 */
export async function connectTemporal({
  payloadKeys,
  namespace,
  publicUrl,
  ...server
}: TemporalServer & {
  readonly payloadKeys: readonly SecretKey[];
  /** Of the pages at /support, to which workflows link; without it they have no link. */
  readonly publicUrl?: string;
}): Promise<TemporalConnection> {
  const connection = await NativeConnection.connect({
    ...server,
    // Payloads are encrypted, so compression would cost time without effect.
    grpcCompression: { codec: 'none' },
  }).catch((error) => {
    throw new TemporalUnreachableError(server.address, error);
  });
  const dataConverter = createDataConverter(payloadKeys);
  const client = new Client({
    connection,
    namespace,
    dataConverter: createDataConverter(payloadKeys, 'refuse'),
    interceptors: {
      workflow: [addressCalls(publicUrl), ...(tracing() ? [traceCalls] : [])],
    },
  });
  const reachability = createReachability(server.address);
  const answers = createAnswers();
  return { connection, client, namespace, dataConverter, reachability, answers };
}

/** The status codes of gRPC that this service tells apart. */
export const grpcCodes = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** The status code of a failed call to Temporal, also where the client has wrapped its error. */
export const grpcCodeOf = (error: unknown): number | undefined =>
  [error, error instanceof Error ? error.cause : undefined].find(isGrpcServiceError)?.code;

/**
 * The errors of Temporal while it is busy, starts, or has not yet done the first step of the read
 * workflow. The native client repeats only some of these, and only for seconds.
 */
const PASSING: readonly number[] = [
  grpcCodes.cancelled,
  grpcCodes.unknown,
  grpcCodes.deadlineExceeded,
  grpcCodes.resourceExhausted,
  grpcCodes.failedPrecondition,
  grpcCodes.aborted,
  grpcCodes.internal,
  grpcCodes.unavailable,
];

/** Whether the same call may succeed a moment later, with nothing changed. */
export const isTemporalBusy = (error: unknown): boolean => PASSING.includes(grpcCodeOf(error) ?? 0);
