import { sql } from 'kysely';
import { type Money, magnitudeOf, parseMoney } from '../../domain/money.ts';
import { DEPOSIT_CORRECTION } from '../../domain/statements.ts';
import { allRows, type Database, type DatabaseTransaction, lockName } from '../connection.ts';
import { limitedTo, type RowPage } from '../row-page.ts';
import { addTransfers, isNamed } from './ledger.ts';

export interface Deposit {
  readonly partnerId: number;
  readonly wallet: 'gift' | 'airtime';
  readonly amount: Money;
  /** The operator's reference, such as the number of a bank slip; unique per deposit. */
  readonly reference: string;
}

/** The ledger's operation of a deposit. */
const operationOf = (reference: string) => `deposit:${reference}`;

/** Lets changes of a deposit come one after another, however its reference is written. */
export const lockDeposit = (transaction: DatabaseTransaction, reference: string) =>
  lockName(transaction, operationOf(reference.toUpperCase()));

/** An existing deposit, with the amount that was booked first. */
export interface MadeDeposit extends Deposit {
  /** The amount after its corrections: its transfers add up to it. */
  readonly present: Money;
  readonly corrections: number;
}

/**
 * Credits a partner's wallet from the platform's funding account. Returns undefined on success; if
 * the reference exists, returns the earlier deposit and changes nothing.
 */
export async function addDeposit(
  transaction: DatabaseTransaction,
  deposit: Deposit,
): Promise<MadeDeposit | undefined> {
  await lockDeposit(transaction, deposit.reference);
  const earlier = await findDeposit(transaction, deposit.reference);
  if (earlier) return earlier;
  await addTransfers(transaction, [
    {
      operationId: operationOf(deposit.reference),
      partnerId: deposit.partnerId,
      step: 'deposit',
      debit: 'funding',
      credit: deposit.wallet,
      amount: deposit.amount,
    },
  ]);
  return undefined;
}

/**
 * Corrects a locked deposit to the amount that came in, by one transfer of the difference; an equal amount changes
 * nothing. Fails with the ledger's `balanceConstraint` where the wallet does not cover the difference.
 */
export async function correctDeposit(
  transaction: DatabaseTransaction,
  { reference, partnerId, wallet, present, corrections }: MadeDeposit,
  amount: Money,
): Promise<void> {
  await addTransfers(transaction, [
    {
      operationId: operationOf(reference),
      partnerId,
      step: `${DEPOSIT_CORRECTION}${corrections + 1}`,
      ...(amount < present
        ? { debit: wallet, credit: 'funding' }
        : { debit: 'funding', credit: wallet }),
      amount: magnitudeOf(amount - present),
    },
  ]);
}

/** A deposit in the list of a partner. */
export interface ListedDeposit {
  /** Of its transfer. */
  readonly id: number;
  readonly at: Date;
  readonly reference: string;
  readonly wallet: Deposit['wallet'];
  /** Decimal strings: the amount that was booked first, and the amount after its corrections. */
  readonly amount: string;
  readonly present: string;
  /** When it was corrected last. */
  readonly correctedAt: Date | null;
  /** The references of deposits that may be the same payment, the newest first. */
  readonly alike: readonly string[];
}

/** Two deposits of one amount within this time may be one payment. */
const ALIKE_WITHIN = sql`interval '7 days'`;
/** Of one deposit. */
const MOST_ALIKE = 3;

/** SQL expression, as its index has it: the letters and digits of a reference, which two people write the same way. */
const spelled = (operationId: string) =>
  sql`regexp_replace(upper(${sql.ref(operationId)}), '[^A-Z0-9]', '', 'g')`;

/** SQL expression: the amount of a deposit after its corrections, by its first transfer. */
const presentAmount = (deposit: string) => sql`(
  select sum(case when part.credit_account_id = ${sql.ref(`${deposit}.credit_account_id`)}
    then part.amount else -part.amount end)
  from ledger_transfers as part where part.operation_id = ${sql.ref(`${deposit}.operation_id`)})`;

/**
 * The deposits of a partner, the newest first, by an index of deposits alone; or only the one with a reference, as
 * it is stored. A deposit is like another in either wallet that has its amount now and was made within days, or has
 * the same letters and digits in its reference. Deposits that were corrected to 0 are like none. Each of both kinds is
 * found by an index of its own.
 */
export function listDeposits(
  database: Database,
  partnerId: number,
  page: RowPage & { readonly reference?: string },
) {
  const only =
    page.reference === undefined ? sql`` : sql`and operation_id = ${operationOf(page.reference)}`;
  const into = (account: string) =>
    sql`credit_account_id = ${sql.ref(`${account}.id`)} and operation_id like 'deposit:%' and step = 'deposit'`;
  const isWallet = (account: string) =>
    sql`${sql.ref(`${account}.partner_id`)} = ${partnerId} and ${sql.ref(`${account}.kind`)} in ('gift', 'airtime')`;
  const referenceIn = (operationId: string) =>
    sql`substr(${sql.ref(operationId)}, ${operationOf('').length + 1}::int)`;
  return allRows<ListedDeposit>(database)`
    select made.id, made.created_at as at, ${referenceIn('made.operation_id')} as reference,
      account.kind as wallet, made.amount, made.present,
      (select max(created_at) from ledger_transfers as correction
        where correction.operation_id = made.operation_id
          and starts_with(correction.step, ${DEPOSIT_CORRECTION})) as "correctedAt",
      array(select ${referenceIn('other.operation_id')}
        from ledger_accounts as wallet cross join lateral (
          select id, operation_id from ledger_transfers as near where ${into('wallet')}
            and created_at > made.created_at - ${ALIKE_WITHIN}
            and created_at < made.created_at + ${ALIKE_WITHIN}
            and ${presentAmount('near')} = made.present
          union
          select id, operation_id from ledger_transfers as same where ${into('wallet')}
            and ${spelled('same.operation_id')} = ${spelled('made.operation_id')}
            and ${presentAmount('same')} > 0) as other
        where ${isWallet('wallet')} and made.present > 0 and other.id <> made.id
        order by other.id desc limit ${MOST_ALIKE}) as alike
    from ledger_accounts as account cross join lateral (
      select id, created_at, operation_id, amount, ${presentAmount('deposit')} as present
      from ledger_transfers as deposit where ${into('account')} ${only}
      order by created_at desc, id desc limit ${page.limit + page.offset}
    ) as made
    where ${isWallet('account')}
    order by made.created_at desc, made.id desc ${limitedTo(page)}`;
}

/** A deposit of a partner by its reference, in whichever case it was typed; undefined where there is none. */
export async function findDepositOf(
  database: Database,
  partnerId: number,
  reference: string,
): Promise<ListedDeposit | undefined> {
  const found = await findDeposit(database, reference);
  if (found?.partnerId !== partnerId) return undefined;
  const page = { limit: 1, offset: 0, reference: found.reference };
  return (await listDeposits(database, partnerId, page))[0];
}

/**
 * The deposit with this reference, in whichever case it was typed: one slip that two people write differently is
 * one deposit. Undefined where there is none.
 */
export async function findDeposit(
  transaction: Database,
  reference: string,
): Promise<MadeDeposit | undefined> {
  const row = await transaction
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_accounts', 'ledger_accounts.id', 'ledger_transfers.credit_account_id')
    .select([
      'ledger_accounts.kind',
      'ledger_accounts.partner_id',
      'ledger_transfers.amount',
      'ledger_transfers.operation_id',
    ])
    .select([
      presentAmount('ledger_transfers').$castTo<string>().as('present'),
      sql<number>`(select count(*) from ledger_transfers as correction
        where correction.operation_id = ledger_transfers.operation_id
          and starts_with(correction.step, ${DEPOSIT_CORRECTION}))::int`.as('corrections'),
    ])
    .where(isNamed('deposit', reference))
    .where('step', '=', 'deposit')
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    partnerId: row.partner_id ?? 0,
    wallet: row.kind === 'airtime' ? 'airtime' : 'gift',
    amount: parseMoney(row.amount),
    reference: row.operation_id.slice(operationOf('').length),
    present: parseMoney(row.present),
    corrections: row.corrections,
  };
}
