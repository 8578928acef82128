import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';
import type { ToldEvent } from './voucher-replay.ts';

/** An event and the company that is told: "partner 3". */
export interface OwnedEvent extends ToldEvent {
  readonly owner: string;
}

/** "voucher:17 voucher.redeemed 9": what is true exactly once, or once for each repetition. */
function factOf({ type, subject, data }: ToldEvent): string {
  if (type === 'topup.succeeded' || type === 'topup.failed')
    return `${subject} ended ${data.attempt}`;
  const detail = data.redemptionId ?? data.attempt;
  return [subject, type, detail].filter((part) => part !== undefined).join(' ');
}

/** What the tables say, without the triggers: each line is one event. */
async function factsOf(database: Database): Promise<string[]> {
  const { rows } = await sql<{ fact: string }>`
    with redeemed as (
      select redemptions.id, voucher_id, redemptions.merchant_id, redemptions.status, partner_id,
        redemptions.operation_id, redemptions.settled_at
      from redemptions join vouchers on vouchers.id = voucher_id
      where redemptions.status <> 'HELD'
    ), tried as (
      select topup_id, attempt.attempt, partner_id, attempt.operation_id
      from topup_attempts as attempt join topups on topups.id = topup_id
      where attempt.status <> 'HELD'
    )
    select 'partner ' || partner_id || ': voucher:' || id || ' voucher.generated' as fact
      from vouchers
    union all select 'partner ' || partner_id || ': voucher:' || id || ' voucher.' || lower(status)
      from vouchers where status in ('EXPIRED', 'CANCELLED')
    union all select owner || ': voucher:' || voucher_id || ' claim.started'
      from voucher_claims join vouchers on vouchers.id = voucher_id,
        lateral (values ('partner ' || partner_id), ('merchant ' || case company_kind
          when 'merchant' then company_id else merchant_id end)) as owners (owner)
    union all select owner || ': voucher:' || voucher_id || case status
        when 'POSTED' then ' voucher.redeemed ' else ' redemption.refused ' end || id
      from redeemed, lateral (values ('partner ' || partner_id), ('merchant ' || merchant_id))
        as owners (owner)
    union all select owner || ': voucher:' || voucher_id || ' redemption.reversed ' || redeemed.id
      from redeemed join redemption_reversals as reversal on reversal.redemption_id = redeemed.id
          and reversal.status = 'SUCCESS',
        lateral (values ('partner ' || partner_id), ('merchant ' || merchant_id))
        as owners (owner)
    union all select 'merchant ' || merchant_id || ': redemption:' || id || ' payout.completed ' || id
      from redeemed where status = 'POSTED'
    -- Made late, or once more after it was taken back.
    union all select 'merchant ' || merchant_id || ': redemption:' || id || ' payout.completed ' || id
      from (
        select redeemed.*, seen.created_at > settled_at as is_later, seen.done > 0 as is_done, coalesce(lag(seen.done > 0) over (
            partition by placement_id order by seen.id), status = 'POSTED') as was_done
        from observations as seen join placements on placements.id = placement_id
        join redeemed using (operation_id) where kind = 'payment') as changed
      where is_later and is_done and not was_done
    union all select 'partner ' || partner_id || ': top-up:' || topup_id || ' ended ' || attempt
      from tried
    -- Its workflow never began; a retry may have made the first attempt since.
    union all select 'partner ' || partner_id || ': top-up:' || id || ' ended 0'
      from topups where status = 'FAILED' and attempt = 0 or exists (select from topup_attempts
        where topup_id = topups.id and topup_attempts.attempt = 1
          and topup_attempts.operation_id <> topups.operation_id)
    union all select 'partner ' || partner_id || ': top-up:' || topup_id || case
        when is_done then ' topup.late ' else ' topup.reversed ' end || attempt
      from (
        select operation_id, seen.done > 0 as is_done,
          lag(seen.done > 0) over (partition by placement_id order by seen.id) as was_done
        from observations as seen join placements on placements.id = placement_id) as changed
      join tried using (operation_id)
      where was_done <> is_done`.execute(database);
  return rows.map(({ fact }) => fact);
}

/** Top-ups that ended once more because their providers changed their word. */
async function settledTopups(database: Database): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select 'partner ' || partner_id || ': top-up:' || topups.id as name, count(*) as count
    from observations join placements on placements.id = placement_id
    join topup_attempts as attempt using (operation_id) join topups on topups.id = topup_id
    where observations.source <> 'answer' group by topups.id`.execute(database);
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/**
 * Compares events with the tables: each fact has exactly its events. One line for each that has not.
 * Low balances are left out: low-balances.ts compares those.
 */
export async function compareFacts(
  database: Database,
  told: readonly OwnedEvent[],
): Promise<string[]> {
  const balance = new Map<string, number>();
  const add = (fact: string, count: number) => balance.set(fact, (balance.get(fact) ?? 0) + count);
  for (const fact of await factsOf(database)) add(fact, 1);
  for (const event of told)
    if (event.type !== 'balance.low') add(`${event.owner}: ${factOf(event)}`, -1);
  const settled = await settledTopups(database);
  return [...balance].flatMap(([fact, count]) => {
    const allowed = fact.includes(' ended ')
      ? (settled.get(fact.replace(/ ended .*/, '')) ?? 0)
      : 0;
    if (count > 0) return [`${fact}: ${count} of its events were not told`];
    return -count > allowed ? [`${fact}: ${-count} events too many`] : [];
  });
}

/** The same for all that the database has told anybody, numbered or not. */
export async function compareEventTable(database: Database): Promise<string[]> {
  const { rows } = await sql<OwnedEvent>`
    select company_kind || ' ' || company_id as owner, 'evt_' || number as id, type, subject, data
    from events`.execute(database);
  return compareFacts(database, rows);
}
