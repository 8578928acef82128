import { Connection, type ConnectionLike } from '@temporalio/client';
import type { SearchAttributeType } from '@temporalio/common';
import {
  encodeSearchAttributeIndexedValueType,
  type SearchAttributeKey,
} from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import {
  merchantId,
  needsAction,
  numberHash,
  operation,
  outcome,
  partnerId,
  reference,
  transactionId,
  voucherSerial,
} from '../../workflows/search-attributes.ts';
import { patiently } from '../process/patiently.ts';
import { TemporalUnreachableError } from './connection.ts';
import { grpcCodeOf, grpcCodes } from './grpc-errors.ts';
import type { TemporalServer } from './temporal-server.ts';

const searchAttributes: readonly SearchAttributeKey<SearchAttributeType>[] = [
  needsAction,
  voucherSerial,
  transactionId,
  reference,
  outcome,
  operation,
  partnerId,
  merchantId,
  numberHash,
];

const CONNECT_MS = 30_000;
/**
 * After its registration a namespace takes some seconds to become known to all parts of the server.
 */
const NAMESPACE_MS = 30_000;
/** Retention of completed histories in a newly registered namespace. */
const RETENTION_SECONDS = 30 * 86_400;

/** What a server answers that reserves this for its administrators. */
const NOT_OURS: readonly unknown[] = [grpcCodes.permissionDenied, grpcCodes.unimplemented];

/** The services that this module needs from the connection of a client or worker. */
type Services = Pick<ConnectionLike, 'workflowService'> & {
  readonly operatorService: Connection['operatorService'];
};

/** Prepares a namespace like `prepareNamespace`, and waits for a starting server. */
export async function prepareTemporal({ namespace, ...server }: TemporalServer): Promise<void> {
  const connection = await connectPatiently(server);
  try {
    await prepareNamespace(connection, namespace);
  } finally {
    await connection.close();
  }
}

/**
 * Registers the namespace and its search attributes where they are missing; a workflow that sets an
 * unregistered attribute fails. A server that reserves this for its administrators, such as
 * Temporal Cloud, is not changed. Returns what it registered.
 */
export async function prepareNamespace(services: Services, namespace: string): Promise<string[]> {
  try {
    if (!(await hasNamespace(services, namespace))) {
      await registerNamespace(services, namespace);
      return [namespace, ...(await untilKnown(() => addSearchAttributes(services, namespace)))];
    }
    return await addSearchAttributes(services, namespace);
  } catch (error) {
    if (NOT_OURS.includes(grpcCodeOf(error))) return [];
    throw error;
  }
}

const isNotFound = (error: unknown): boolean => grpcCodeOf(error) === grpcCodes.notFound;

async function hasNamespace({ workflowService }: Services, namespace: string): Promise<boolean> {
  try {
    await workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function registerNamespace({ workflowService }: Services, namespace: string): Promise<void> {
  try {
    await workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(RETENTION_SECONDS * 1_000),
    });
  } catch (error) {
    if (grpcCodeOf(error) !== grpcCodes.alreadyExists) throw error;
  }
}

async function addSearchAttributes(
  { operatorService }: Services,
  namespace: string,
): Promise<string[]> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter(({ name }) => !(name in (customAttributes ?? {})));
  if (missing.length === 0) return [];
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type) ?? 0]),
    ),
  });
  return missing.map(({ name }) => name);
}

const untilKnown = <Result>(attempt: () => Promise<Result>): Promise<Result> =>
  patiently(attempt, { isPassing: isNotFound, patienceMs: NAMESPACE_MS });

const connectPatiently = (server: Omit<TemporalServer, 'namespace'>): Promise<Connection> =>
  patiently(() => Connection.connect({ ...server, connectTimeout: '2s' }), {
    isPassing: () => true,
    patienceMs: CONNECT_MS,
  }).catch((error) => {
    throw new TemporalUnreachableError(server.address, error);
  });
