import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';
import { providerOf } from '../../src/db/positions/placements.ts';
import { formatMoney, parseMoney } from '../../src/domain/money.ts';
import type { BooksRow } from '../../src/sandbox/requests.ts';
import { readBooks } from '../settle-pending.ts';

/** A payment or top-up attempt, as our database has it. */
export interface OwnRow {
  /** Who was asked last. */
  readonly provider: string;
  readonly reference: string;
  /** REVERSED: paid, and taken back because the merchant asked for it. */
  readonly status: 'HELD' | 'POSTED' | 'VOIDED' | 'REVERSED';
  readonly amount: string;
}

type TakenRow = Pick<BooksRow, 'provider' | 'reference' | 'status' | 'amount'>;

/** Compares what each provider did with what we say that it did, by our references (I6). */
export async function compareBooks(database: Database, sandboxUrl: string): Promise<string[]> {
  const books = await readBooks(sandboxUrl);
  const { rows: redemptions } = await sql<OwnRow>`
    select ${providerOf(sql`redemptions.operation_id`)} as provider, payment_reference as reference,
      to_merchant::text as amount,
      case when exists (select from redemption_reversals as reversal
        where reversal.redemption_id = redemptions.id and reversal.status = 'SUCCESS')
      then 'REVERSED' else status end as status
    from redemptions`.execute(database);
  const { rows: reversals } = await sql<OwnRow>`
    select ${providerOf(sql`redemptions.operation_id`)} as provider, reference,
      to_merchant::text as amount,
      case reversal.status when 'SUCCESS' then 'POSTED'
      when 'FAILED' then 'VOIDED' else 'HELD' end as status
    from redemption_reversals as reversal
    join redemptions on redemptions.id = redemption_id`.execute(database);
  const { rows: attempts } = await sql<OwnRow>`
    select ${providerOf(sql`attempt.operation_id`)} as provider, reference, attempt.status, coalesce((
      select sum(amount) from ledger_transfers
      where operation_id = attempt.operation_id and step = 'hold'), 0)::text as amount
    from topup_attempts as attempt`.execute(database);
  return [
    ...compareRows('payout', redemptions, books.payouts),
    ...compareRows('reversal', reversals, books.reversals),
    ...compareRows('top-up', attempts, books.topups),
  ];
}

/**
 * Compares rows of one kind. A reference may be in the books of one provider only, once: whoever
 * was asked before certainly did nothing.
 */
export function compareRows(
  name: string,
  own: readonly OwnRow[],
  books: readonly TakenRow[],
): string[] {
  const findings: string[] = [];
  const taken = new Map<string, TakenRow>();
  for (const row of books) {
    const { reference, provider } = row;
    const earlier = taken.get(reference)?.provider;
    if (earlier !== undefined)
      findings.push(`${name} ${reference} was taken twice: by ${earlier} and by ${provider}`);
    taken.set(reference, row);
  }
  const known = new Map(own.map((row) => [row.reference, row]));
  for (const { reference, status, provider } of books) {
    const asked = known.get(reference)?.provider;
    if (asked === undefined)
      findings.push(
        `${name} ${reference} is ${status} in the books of ${provider} and not in ours`,
      );
    else if (asked !== provider)
      findings.push(`${name} ${reference} is ${status} at ${provider}, and of ${asked} here`);
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
  const providers = new Set([...own, ...books].map(({ provider }) => provider));
  return [...findings, ...[...providers].flatMap((one) => compareTotals(name, one, own, books))];
}

/** Counts and sums of what a provider did, as an auditor would compare them first. */
function compareTotals(
  name: string,
  provider: string,
  own: readonly OwnRow[],
  books: readonly TakenRow[],
): string[] {
  const posted = own.filter((row) => row.provider === provider && row.status === 'POSTED');
  const done = books.filter((row) => row.provider === provider && row.status === 'completed');
  const here = `${posted.length} of together ${sumOf(posted)}`;
  const there = `${done.length} of together ${sumOf(done)}`;
  return here === there ? [] : [`${name}s of ${provider}: ${here} are posted, ${there} were done`];
}

const sumOf = (rows: readonly { readonly amount: string }[]): string =>
  formatMoney(rows.reduce((sum, { amount }) => sum + parseMoney(amount), 0n));
