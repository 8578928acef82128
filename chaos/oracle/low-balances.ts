import { sql } from 'kysely';
import { parseMoney } from '../../src/domain/money.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { OwnedEvent } from './event-facts.ts';

interface WalletFacts {
  readonly owner: string;
  readonly wallet: string;
  /** Decimal strings in ETB. */
  readonly threshold: string;
  readonly balance: string;
  /** All that came in before anything went out, and all that ever went out. */
  readonly deposited: string;
  readonly spent: string;
  /** Movements into the wallet besides the deposit. */
  readonly returns: number;
}

/**
 * Compares `balance.low` with the ledger. In which order concurrent transfers changed a balance cannot
 * be seen afterwards, so that bounds decide: a wallet that is low was told of, one that never could be
 * was not, and each further event needs a return in between.
 */
export async function compareLowBalances(
  { database }: Pick<ThrowawayStack, 'database'>,
  told: readonly OwnedEvent[],
): Promise<string[]> {
  const { rows } = await sql<WalletFacts>`
    select 'partner ' || account.partner_id as owner, account.kind as wallet,
      account.low_balance::text as threshold, account.balance::text as balance,
      sum(amount) filter (where credit_account_id = account.id and other.kind = 'funding')::text
        as deposited,
      coalesce(sum(amount) filter (where debit_account_id = account.id), 0)::text as spent,
      (count(*) filter (where credit_account_id = account.id and other.kind <> 'funding'))::int
        as returns
    from ledger_accounts as account
    join ledger_transfers on account.id in (debit_account_id, credit_account_id)
    join ledger_accounts as other
      on other.id in (debit_account_id, credit_account_id) and other.id <> account.id
    where account.low_balance is not null group by account.id`.execute(database);
  const low = told.filter(({ type }) => type === 'balance.low');
  return rows.flatMap((facts) => {
    const { owner, wallet } = facts;
    const events = low.filter((event) => event.owner === owner && event.data.wallet === wallet);
    return problemsOf(facts, events).map((problem) => `${owner}, ${wallet}: ${problem}`);
  });
}

function problemsOf(facts: WalletFacts, events: readonly OwnedEvent[]): string[] {
  const threshold = parseMoney(facts.threshold);
  const isLow = parseMoney(facts.balance) < threshold;
  const couldBeLow = parseMoney(facts.deposited) - parseMoney(facts.spent) < threshold;
  const wrong = events.filter(
    ({ data }) =>
      parseMoney(String(data.threshold)) !== threshold ||
      parseMoney(String(data.balance)) >= threshold,
  );
  return [
    ...wrong.map(({ id }) => `${id} tells of a balance that is not low`),
    ...(isLow && events.length === 0 ? ['it is low, and nobody was told'] : []),
    ...(!couldBeLow && events.length > 0 ? ['it never was low, and somebody was told'] : []),
    ...(events.length > 1 + facts.returns ? [`told ${events.length} times`] : []),
  ];
}
