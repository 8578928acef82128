import { type RawBuilder, sql } from 'kysely';
import { spellingsOf } from '../../domain/staff/search-term.ts';
import { DEPOSIT_REVERSAL } from '../../domain/statements/statement-labels.ts';
import type { Database } from '../connection.ts';
import { isNamed } from '../ledger/ledger.ts';
import type { SearchedTerm } from './find-cases.ts';

/** Something that a text names besides a voucher or a top-up. */
export interface FoundRecord {
  readonly kind:
    | 'deposit'
    | 'goodwill'
    | 'bulk order'
    | 'bulk line'
    | 'repair'
    | 'call'
    | 'operation';
  /** A reference, or the number of a row. */
  readonly name: string;
  readonly at: Date;
  /** Whose it is; null for a call that named no company. */
  readonly company: string | null;
  /** What became of it. */
  readonly state: string;
  /** Decimal string. */
  readonly amount: string | null;
}

/** Records of one statement at most. */
const ROWS = 20;

const companyName = sql`case company_kind
  when 'partner' then (select company_name from partners where partners.id = company_id)
  when 'merchant' then (select merchant_name from merchants where merchants.id = company_id) end`;

/** Deposits and goodwill credits; a deposit that was reversed stands there twice. */
const bookings = (kind: 'deposit' | 'goodwill', reference: string) => sql`
  select ${kind}::text as kind, substr(operation_id, ${kind.length + 2}::int) as name, transfer.created_at as at,
    company_name as company, case step when ${DEPOSIT_REVERSAL}::text then 'Taken back from'
      else 'Credited to' end || ' the ' || account.kind || ' wallet' as state, amount
  from ledger_transfers as transfer
  join ledger_accounts as account on account.id = any(array[debit_account_id, credit_account_id])
  join partners on partners.id = account.partner_id
  where ${isNamed(kind, reference)} limit ${ROWS}`;

/** Lines of bulk orders that have no voucher. */
const bulkLines = (references: readonly string[]) => sql`
  select 'bulk line', 'line ' || line || ' of bulk order ' || bulk_order_id,
    coalesce(line.settled_at, bulk_orders.created_at), company_name,
    line.status || coalesce(': ' || (refusal ->> 'reason'), ''), null::numeric
  from bulk_lines as line join bulk_orders on bulk_orders.id = bulk_order_id
  join partners on partners.id = partner_id
  where line.reference = any(${references}::text[]) and voucher_id is null limit ${ROWS}`;

/** Calls of the APIs by their X-Request-Id: those that were refused, and the newest others. */
const calls = (requestId: string) => [
  sql`select 'call', request_id, at, ${companyName}, method || ' ' || route || ': ' || reason,
      null::numeric
    from refused_calls where request_id = ${requestId} limit ${ROWS}`,
  sql`select 'call', request_id, at, ${companyName},
      method || ' ' || route || ': answered ' || status_code, null::numeric
    from admitted_calls where request_id = ${requestId} limit ${ROWS}`,
];

const bulkOrder = (operationId: string) => sql`
  select 'bulk order', bulk_orders.id::text, bulk_orders.created_at, company_name,
    generated || ' of ' || lines || ' generated, ' || refused || ' refused, ' || cancelled
      || ' cancelled', null::numeric
  from bulk_orders join partners on partners.id = partner_id where operation_id = ${operationId}`;

/** A repair of a wallet; any other one belongs to its case. */
const repair = (operationId: string) => sql`
  select 'repair', id::text, changed_at, ${companyName}, kind || ': ' || state, amount
  from repairs where operation_id = ${operationId} and voucher_id is null and topup_id is null`;

/** The answer to a request, as long as it is kept. */
const operation = (operationId: string) => sql`
  select 'operation', id, coalesce(settled_at, created_at), ${companyName},
    kind || ': ' || status || coalesce(', ' || (outcome ->> 'reason'), ''), null::numeric
  from operations where id = ${operationId}`;

async function readRecords(
  database: Database,
  statements: readonly RawBuilder<unknown>[],
): Promise<FoundRecord[]> {
  if (statements.length === 0) return [];
  const all = sql.join(
    statements.map((one) => sql`(${one})`),
    sql` union all `,
  );
  const { rows } = await sql<FoundRecord>`
    with found (kind, name, at, company, state, amount) as (${all})
    select * from found order by at desc, name limit ${ROWS}`.execute(database);
  return rows;
}

/** What a text names besides vouchers and top-ups, newest first. Each statement uses an index. */
export const findRecords = (
  database: Database,
  { reference, uuid, operationId }: SearchedTerm,
): Promise<FoundRecord[]> =>
  readRecords(database, [
    ...(reference === undefined
      ? []
      : [
          bookings('deposit', reference),
          bookings('goodwill', reference),
          bulkLines(spellingsOf(reference)),
        ]),
    ...(uuid === undefined ? [] : calls(uuid)),
    ...(operationId === undefined ? [] : [bulkOrder(operationId), repair(operationId)]),
  ]);

/** The request of an operation that left neither a voucher nor a top-up nor a record. */
export const findOperationRecord = (
  database: Database,
  { operationId }: SearchedTerm,
): Promise<FoundRecord[]> =>
  readRecords(database, operationId === undefined ? [] : [operation(operationId)]);
