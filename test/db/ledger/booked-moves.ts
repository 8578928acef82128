import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../src/db/connection.ts';

export type Move = readonly [
  step: string,
  debit: string,
  credit: string,
  operation: string,
  amount: number,
];

/** Books moves of a partner at each of some times. */
export const book = (
  database: Database,
  partnerId: number,
  given: readonly Move[],
  times: RawBuilder<unknown>,
) =>
  sql`
    insert into ledger_transfers (created_at, operation_id, step, debit_account_id, credit_account_id, amount)
    select at, operation || partner || to_char(at, ' YYYYMMDDHH24'), step, debit.id, credit.id, amount
    from ${times} as at
    cross join (values (${partnerId}::bigint)) as owner (partner)
    cross join unnest(${given.map(([step]) => step)}::text[], ${given.map(([, from]) => from)}::text[],
      ${given.map(([, , to]) => to)}::text[], ${given.map(([, , , operation]) => operation)}::text[],
      ${given.map(([, , , , amount]) => amount)}::numeric[]) with ordinality
      as move (step, debit_kind, credit_kind, operation, amount, place)
    join ledger_accounts as debit on debit.kind = debit_kind
      and coalesce(debit.partner_id, partner) = partner
    join ledger_accounts as credit on credit.kind = credit_kind
      and coalesce(credit.partner_id, partner) = partner
    order by at, place`.execute(database);
