import type { Connection } from '@temporalio/client';
import type { SearchAttributeType } from '@temporalio/common';
import {
  encodeSearchAttributeIndexedValueType,
  type SearchAttributeKey,
} from '@temporalio/common/lib/search-attributes.js';

export type AnySearchAttributeKey = SearchAttributeKey<SearchAttributeType>;

/**
 * Registers the search attributes that a namespace lacks; a workflow that names another one cannot
 * be started.
 */
export async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
  keys: readonly AnySearchAttributeKey[],
): Promise<void> {
  const { operatorService } = connection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = keys.filter(({ name }) => !(name in (customAttributes ?? {})));
  if (missing.length === 0) return;
  const searchAttributes = missing.map(({ name, type }) => [
    name,
    encodeSearchAttributeIndexedValueType(type) ?? 0,
  ]);
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(searchAttributes),
  });
}
