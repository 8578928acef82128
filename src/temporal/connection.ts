import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { createPayloadCodec, type ForeignPayloads, type PayloadKey } from './payload-codec.js';
import { createReachability, type Reachability } from './reachability.js';
import type { TemporalServer } from './temporal-server.js';
import { failureConverterPath } from './workflow-bundle.js';

/**
 * What client and worker must share to understand each other. A worker must not trip over what others
 * have sent, so payloads that are not ours are marked for it; a client refuses them.
 */
export const createDataConverter = (
  payloadKeys: readonly PayloadKey[],
  foreign: Exclude<ForeignPayloads, 'pass'> = 'mark',
): DataConverter => ({
  failureConverterPath,
  payloadCodecs: [createPayloadCodec(payloadKeys, foreign)],
});

/** Temporal cannot be reached; the message names the setting that says where it is. */
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
  /** The worker's; the client has its own. */
  readonly dataConverter: DataConverter;
  readonly reachability: Reachability;
}

/**
 * Connects to Temporal over the native connection, which a worker of the same process may share: only
 * so can a workflow start eagerly. Close the connection after every worker on it has stopped.
 *
 * @throws when the server cannot be reached
 */
export async function connectTemporal({
  payloadKeys,
  namespace,
  ...server
}: TemporalServer & {
  readonly payloadKeys: readonly PayloadKey[];
}): Promise<TemporalConnection> {
  const connection = await NativeConnection.connect({
    ...server,
    // Payloads are encrypted, so compressing them costs time and saves nothing.
    grpcCompression: { codec: 'none' },
  }).catch((error) => {
    throw new TemporalUnreachableError(server.address, error);
  });
  const dataConverter = createDataConverter(payloadKeys);
  const client = new Client({
    connection,
    namespace,
    dataConverter: createDataConverter(payloadKeys, 'refuse'),
  });
  const reachability = createReachability(server.address);
  return { connection, client, namespace, dataConverter, reachability };
}
