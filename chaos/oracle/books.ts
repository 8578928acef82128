import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../../src/domain/money.js';
import type { BooksRow } from '../../src/sandbox/accepted-requests.js';
import { readBooks } from '../settle-pending.js';
import type { ThrowawayStack } from '../throwaway-stack.js';

/** A payment or top-up attempt, as our database has it. */
interface OwnRow {
  readonly reference: string;
  readonly status: 'HELD' | 'POSTED' | 'VOIDED';
  readonly amount: string;
}

/** Compares what the providers did with what we say they did, by our references (I6). */
export async function compareBooks({ database, services }: ThrowawayStack): Promise<string[]> {
  const books = await readBooks(services.sandboxUrl);
  const { rows: redemptions } = await sql<OwnRow>`
    select payment_reference as reference, status, to_merchant::text as amount
    from redemptions`.execute(database);
  const { rows: attempts } = await sql<OwnRow>`
    select reference, attempt.status, coalesce((
      select sum(amount) from ledger_transfers
      where operation_id = attempt.operation_id and step = 'hold'), 0)::text as amount
    from topup_attempts as attempt`.execute(database);
  return [
    ...compare('payout', redemptions, books.payouts),
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
    const wasDone = row?.status === 'completed';
    if (wasDone !== (status === 'POSTED'))
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
