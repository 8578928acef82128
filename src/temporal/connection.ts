import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import type { SecretKey } from '../crypto/secret-keys.ts';
import { tracing } from '../tracing/tracing.ts';
import { addressCalls } from './interceptors/address-calls.ts';
import { createPayloadCodec, type ForeignPayloads } from './payload-codec.ts';
import { createReachability, type Reachability } from './reachability.ts';
import type { TemporalServer } from './temporal-server.ts';
import { traceCalls } from './tracing/trace-calls.ts';
import { failureConverterPath } from './workflow-bundle.ts';

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
}

/**
 * Ends where Temporal answers and has the namespace.
 *
 * @throws after the time limit, too
 */
export const requireNamespace = (
  { client, namespace }: TemporalConnection,
  limitMs: number,
): Promise<unknown> =>
  client.withDeadline(Date.now() + limitMs, () =>
    client.workflowService.describeNamespace({ namespace }),
  );

/**
 * Connects to Temporal over the native connection. A worker of the same process may share it, which
 * is required for eager workflow starts. Close the connection after all its workers have stopped.
 *
 * @throws when the server cannot be reached
 */
export async function connectTemporal({
  payloadKeys,
  namespace,
  ...server
}: TemporalServer & {
  readonly payloadKeys: readonly SecretKey[];
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
    interceptors: { workflow: [addressCalls, ...(tracing() ? [traceCalls] : [])] },
  });
  const reachability = createReachability(server.address);
  return { connection, client, namespace, dataConverter, reachability };
}
