import { type Kysely, sql } from 'kysely';

/**
 * Payout accounts whose registered holder nobody has confirmed are counted for the metrics and listed for
 * staff. Only they stand in the index. Its column is new and its table small: building it blocks nobody for long.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- The account has a registered holder, and this provider has not confirmed it.
    alter table payout_account_checks add column lacks_confirmation boolean not null default false;

    create index payout_account_checks_unconfirmed on payout_account_checks (payout_account_id)
      where lacks_confirmation;

    update payout_account_checks as done set lacks_confirmation = true
    from merchant_payout_accounts as account
    where account.id = done.payout_account_id and account.holder_name is not null
      and (done.state = 'not-offered' or done.state = 'open' and done.holder_name is null);
  `.execute(database);
}
