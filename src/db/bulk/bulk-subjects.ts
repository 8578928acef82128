import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** A merchant that lines of an order name. */
export interface NamedMerchant {
  readonly id: number;
  readonly identifier: string;
  readonly name: string;
}

/** The active merchants of these ids and identifiers. */
export async function findNamedMerchants(
  database: Database,
  names: { readonly ids: readonly number[]; readonly identifiers: readonly string[] },
): Promise<NamedMerchant[]> {
  const { rows } = await sql<NamedMerchant>`
    select id, identifier, merchant_name as name from merchants
    where (id = any(${names.ids}::bigint[]) or identifier = any(${names.identifiers}::text[]))
      and status = 'ACTIVE' and deleted_at is null`.execute(database);
  return rows;
}
