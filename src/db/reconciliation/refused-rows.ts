import { type RawBuilder, sql } from 'kysely';
import type { RefusedRowKind } from '../../domain/refused-rows.ts';
import type { Database } from '../connection.ts';

type Left = RawBuilder<{ id: string }>;

/** Those of the rows that no sweep and nobody else has ended. */
const left: Readonly<Record<RefusedRowKind, (ids: readonly string[]) => Left>> = {
  claim: (ids) => sql`
    select id from voucher_claims where id = any(${ids}::text[]) and status = 'OPEN'`,
  'top-up': (ids) => sql`
    select id::text from topups where id = any(${ids}::bigint[]) and status = 'PENDING'`,
  retry: (ids) => sql`
    select operation_id as id from topup_retries
    where operation_id = any(${ids}::text[]) and is_open`,
  reminder: (ids) => sql`
    select id::text from vouchers
    where id = any(${ids}::bigint[]) and status = 'ACTIVE' and reminded_at is null
      and expires_at > now()`,
};

/** The ids of refused rows that are still to be ended. */
export async function listRefusedRowsLeft(
  database: Database,
  kind: RefusedRowKind,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await left[kind](ids).execute(database);
  return rows.map(({ id }) => id);
}
