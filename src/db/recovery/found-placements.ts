import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import { maskMsisdn } from '../../domain/phone.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { book } from '../positions/book.ts';
import { type BookSettings, observed } from '../positions/change.ts';
import { lockOrder, lostOperationId } from '../positions/orders.ts';
import { isOnHold } from '../positions/placements.ts';

/** What our books have of an order at one provider. */
export interface KnownPlacement {
  readonly reference: string;
  readonly provider: string;
  /** By our books the provider has done it. */
  readonly isDone: boolean;
  /** LOST: our rows are gone, and what providers did is in suspense. */
  readonly status: 'HELD' | 'POSTED' | 'VOIDED' | 'LOST';
}

const BATCH_SIZE = 1_000;

/** Our placements of these references, by reference. */
export async function findKnown(
  database: Database,
  kind: 'payment' | 'top-up',
  references: readonly string[],
): Promise<Map<string, KnownPlacement[]>> {
  const known = new Map<string, KnownPlacement[]>();
  for (let begin = 0; begin < references.length; begin += BATCH_SIZE) {
    const batch = references.slice(begin, begin + BATCH_SIZE);
    const { rows } = await sql<KnownPlacement>`
      select reference, placement.provider, placement.done > 0 as "isDone",
        coalesce(redemptions.status, try.status, 'LOST') as status
      from (select * from placements
        where kind = ${kind} and reference = any(${batch}::text[])) as placement
      left join redemptions using (operation_id)
      left join (select operation_id, status from topup_attempts) as try using (operation_id)
      order by position`.execute(database);
    for (const row of rows) known.set(row.reference, [...(known.get(row.reference) ?? []), row]);
  }
  return known;
}

/** Our references of payments, by the provider's receipts. */
export async function referencesOfReceipts(
  database: Database,
  provider: string,
  receipts: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ receipt: string; reference: string }>`
    select provider_reference as receipt, reference from placements
    where kind = 'payment' and provider = ${provider}
      and provider_reference = any(${receipts}::text[])`.execute(database);
  return new Map(rows.map(({ receipt, reference }) => [receipt, reference]));
}

/** What a provider did, or may still do, and a restore lost. */
export interface LostOrder {
  readonly kind: 'payment' | 'top-up';
  readonly provider: string;
  /** Ours, as the provider has it. */
  readonly reference: string;
  readonly providerReference: string | null;
  readonly madeAt: Date;
  /** As the provider names who received it; only the masked text is stored. */
  readonly party: string | null;
  /** Decimal string in ETB. */
  readonly amount: string;
  /** The serial number of its voucher, if the provider has it. */
  readonly serialNumber: string | null;
}

/**
 * Books what a restore lost: the provider has done it, and nobody was charged, so that the amount is in suspense. It
 * ends when the request is repeated, which finds it, or when an operator settles its case. One that the provider may
 * still do counts as done. Idempotent; returns whether it was booked now.
 */
export async function bookLost(
  transaction: DatabaseTransaction,
  lost: LostOrder,
  settings: BookSettings,
): Promise<boolean> {
  const { kind, provider, reference, amount, party, providerReference, madeAt } = lost;
  const { rows } = await sql<{ id: number }>`
    insert into placements (kind, reference, provider, voucher_id, ordered, position)
    values (${kind}, ${reference}, ${provider},
      (select id from vouchers where serial_number = ${lost.serialNumber}), ${amount}::numeric,
      (select count(*) + 1 from placements where reference = ${reference}))
    on conflict (reference, provider) do nothing
    returning id`.execute(transaction);
  const [row] = rows;
  if (!row) return false;
  const order = await lockOrder(transaction, lostOperationId(reference));
  const after = observed(order.position, row.id, {
    at: madeAt.getTime(),
    source: 'recovery',
    said: 'done',
    amount: parseMoney(amount),
    ...(providerReference !== null && { providerReference }),
    ...(party !== null && { words: `To ${maskMsisdn(party)}` }),
  });
  await book(transaction, order, after, { source: 'recovery' }, settings);
  return true;
}

/** An order of ours that a provider has, as its list says. */
export interface FoundOrder {
  readonly reference: string;
  readonly provider: string;
}

/**
 * Has a provider asked about orders of ours: the database may have been restored to before this provider was asked. An
 * order on hold is at this one by now, which its workflow asks, as the next reconciliation does the others.
 */
export async function doubtFound(
  transaction: DatabaseTransaction,
  found: readonly FoundOrder[],
): Promise<void> {
  await sql`
    with found as materialized (
      -- A provider's list may have a reference twice.
      select distinct named, asked
      from unnest(${found.map(({ reference }) => reference)}::text[],
        ${found.map(({ provider }) => provider)}::text[]) as theirs (named, asked)
    ), orders as materialized (
      select distinct on (named, asked) placements.*, asked,
        ${isOnHold(sql`placements.operation_id`)} as is_held,
        exists (select from placements as known
          where known.reference = named and known.provider = asked) as is_known
      from found join placements on reference = named and kind <> 'reversal'
      where operation_id is not null
      order by named, asked, position desc
    ), doubted as (
      update placements set ask_at = clock_timestamp(), doubted_at = coalesce(placements.doubted_at, now())
      from orders
      where placements.reference = orders.reference and placements.kind <> 'reversal'
        -- The workflow of an order on hold asks the provider that it is at.
        and not (is_held and orders.provider = asked)
        and (placements.provider = asked or is_held and not is_known)
    )
    insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, position, ask_at, doubted_at)
    select kind, reference, asked, operation_id, voucher_id, ordered,
      case when is_held then position + 1 else 0 end, clock_timestamp(), now()
    from orders
    on conflict (reference, provider) do nothing`.execute(transaction);
}
