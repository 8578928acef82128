import type { ApiKeyPower } from '../../domain/access/api-key.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { Company } from '../../domain/voucher.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { isValidKey } from './access.ts';
import { type ChangedKey, changedKey, ownedBy } from './company-access.ts';

/** The valid API key with an id, locked until the transaction ends; undefined where there is none. */
export const lockApiKey = (
  transaction: DatabaseTransaction,
  id: number,
  /** Required owner; any company where it is absent. */
  company?: Company,
): Promise<ChangedKey | undefined> =>
  transaction
    .selectFrom('api_keys')
    .select(changedKey)
    .where('id', '=', id)
    .where(isValidKey)
    .where(ownedBy(company))
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Replaces the daily limits of an API key. */
export async function setApiKeyLimits(
  transaction: DatabaseTransaction,
  id: number,
  { dailyAmount, dailyOperations }: Omit<ApiKeyPower, 'scopes'>,
): Promise<void> {
  await transaction
    .updateTable('api_keys')
    .set({ daily_amount: dailyAmount, daily_operations: dailyOperations })
    .where('id', '=', id)
    .execute();
}

/** Replaces the scopes of an API key; its tokens follow at their next call. */
export async function setApiKeyScopes(
  transaction: DatabaseTransaction,
  id: number,
  scopes: readonly Scope[],
): Promise<void> {
  await transaction
    .updateTable('api_keys')
    .set({ scopes: [...scopes] })
    .where('id', '=', id)
    .execute();
}
