import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { SearchAttributeType } from '@temporalio/common';
import {
  encodeSearchAttributeIndexedValueType,
  type SearchAttributeKey,
} from '@temporalio/common/lib/search-attributes.js';
import {
  needsAction,
  outcome,
  transactionId,
  voucherSerial,
} from '../../workflows/search-attributes.js';

import { TemporalUnreachableError } from './connection.js';

const searchAttributes: readonly SearchAttributeKey<SearchAttributeType>[] = [
  needsAction,
  voucherSerial,
  transactionId,
  outcome,
];

const CONNECT_SECONDS = 30;

/**
 * Registers in a namespace the search attributes that it lacks; a workflow that sets another one
 * fails. Waits for a server that is still starting.
 */
export async function prepareTemporal(options: {
  readonly address: string;
  readonly namespace: string;
}): Promise<void> {
  const { namespace } = options;
  const connection = await connectPatiently(options.address);
  try {
    const { operatorService } = connection;
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter(({ name }) => !(name in (customAttributes ?? {})));
    if (missing.length === 0) return;
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type) ?? 0]),
      ),
    });
  } finally {
    await connection.close();
  }
}

async function connectPatiently(address: string): Promise<Connection> {
  const deadline = Date.now() + CONNECT_SECONDS * 1_000;
  for (;;) {
    try {
      return await Connection.connect({ address, connectTimeout: '2s' });
    } catch (error) {
      if (Date.now() > deadline) throw new TemporalUnreachableError(address, error);
      await sleep(500);
    }
  }
}
