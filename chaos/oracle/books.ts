import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.js';
import { formatMoney, parseMoney } from '../../src/domain/money.js';
import type { BooksRow } from '../../src/sandbox/accepted-requests.js';
import { readBooks } from '../settle-pending.js';

/** A payment or top-up attempt, as our database has it. */
interface OwnRow {
  readonly reference: string;
  /** REVERSED: paid, and taken back because the merchant asked for it. */
  readonly status: 'HELD' | 'POSTED' | 'VOIDED' | 'REVERSED';
  readonly amount: string;
}

/** Compares what the providers did with what we say they did, by our references (I6). */
export async function compareBooks(database: Database, sandboxUrl: string): Promise<string[]> {
  const books = await readBooks(sandboxUrl);
  const { rows: redemptions } = await sql<OwnRow>`
    select payment_reference as reference, to_merchant::text as amount,
      case when exists (select from redemption_reversals as reversal
        where reversal.redemption_id = redemptions.id and reversal.status = 'SUCCESS')
      then 'REVERSED' else status end as status
    from redemptions`.execute(database);
  const { rows: reversals } = await sql<OwnRow>`
    select reference, to_merchant::text as amount, case reversal.status when 'SUCCESS' then 'POSTED'
      when 'FAILED' then 'VOIDED' else 'HELD' end as status
    from redemption_reversals as reversal
    join redemptions on redemptions.id = redemption_id`.execute(database);
  const { rows: attempts } = await sql<OwnRow>`
    select reference, attempt.status, coalesce((
      select sum(amount) from ledger_transfers
      where operation_id = attempt.operation_id and step = 'hold'), 0)::text as amount
    from topup_attempts as attempt`.execute(database);
  return [
    ...compare('payout', redemptions, books.payouts),
    ...compare('reversal', reversals, books.reversals),
    ...compare('top-up', attempts, books.topups),
  ];
}

function compare(name: string, own: readonly OwnRow[], books: readonly BooksRow[]): string[] {
  const findings: string[] = [];
  const taken = new Map<string, BooksRow>();
  for (const row of books) {
    if (taken.has(row.reference)) findings.push(`${name} ${row.reference} was taken twice`);
    taken.set(row.reference, row);
  }
  const known = new Map(own.map((row) => [row.reference, row]));
  for (const { reference, status } of books) {
    if (!known.has(reference))
      findings.push(`${name} ${reference} is ${status} in the provider's books and not in ours`);
  }
  for (const { reference, status, amount } of own) {
    const row = taken.get(reference);
    const isAgreed =
      status === 'REVERSED'
        ? row?.status === 'reversed'
        : (row?.status === 'completed') === (status === 'POSTED');
    if (!isAgreed)
      findings.push(`${name} ${reference} is ${status} here and ${row?.status ?? 'unknown'} there`);
    if (row && parseMoney(row.amount) !== parseMoney(amount))
      findings.push(`${name} ${reference} is of ${amount} here and of ${row.amount} there`);
  }
  return [...findings, ...compareTotals(name, own, books)];
}

/** Counts and sums of what was done, as an auditor would compare them first. */
function compareTotals(name: string, own: readonly OwnRow[], books: readonly BooksRow[]): string[] {
  const posted = own.filter(({ status }) => status === 'POSTED');
  const completed = books.filter(({ status }) => status === 'completed');
  const here = `${posted.length} of together ${sumOf(posted)}`;
  const there = `${completed.length} of together ${sumOf(completed)}`;
  return here === there ? [] : [`${name}s: ${here} are posted, ${there} were done`];
}

const sumOf = (rows: readonly { readonly amount: string }[]): string =>
  formatMoney(rows.reduce((sum, { amount }) => sum + parseMoney(amount), 0n));
