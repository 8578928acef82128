import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { DUE_NOW } from '../providers/failover-inquiries.ts';
import { isDoneByBooks } from '../reconciliation/ended-payments.ts';
import { firstInquiry, NEW_DOUBT } from '../reconciliation/refusal-inquiries.ts';
import type { RecoveredPayment } from './recovered-payments.ts';

/** Our row of a transaction. */
export interface KnownTransaction {
  readonly reference: string;
  /** RECOVERED: our row is lost, and the amount is booked in suspense. */
  readonly status: 'HELD' | 'POSTED' | 'VOIDED' | 'RECOVERED';
  /** By our books it is done, with what is booked of changes of the provider's word. */
  readonly isDone: boolean;
  /** Who has it by our books. */
  readonly provider: string;
  /** Those that did it beside that one, as our books know. */
  readonly doneBy: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BATCH_SIZE = 1_000;

/** Our rows of these references, by reference; where both exist, that of the payment itself. */
export async function findKnown(
  database: Database,
  kind: RecoveredPayment['kind'],
  references: readonly string[],
): Promise<Map<string, KnownTransaction>> {
  const known = new Map<string, KnownTransaction>();
  const isDone = sql`${isDoneByBooks('ours')} as "isDone"`;
  const doneBy = sql`array(select from_provider from provider_failovers as failover
    where failover.operation_id = ours.operation_id and done_at is not null)`;
  for (let begin = 0; begin < references.length; begin += BATCH_SIZE) {
    const batch = references.slice(begin, begin + BATCH_SIZE);
    const own =
      kind === 'payment'
        ? sql`select payment_reference::text as reference, status, ${isDone}, provider, ${doneBy}
            from redemptions as ours
            where payment_reference = any(${batch.filter((one) => UUID.test(one))}::uuid[])`
        : sql`select reference, status, ${isDone}, provider, ${doneBy} from topup_attempts as ours
            where reference = any(${batch}::text[])`;
    const { rows } = await sql<KnownTransaction>`
      select reference, 'RECOVERED' as status, true as "isDone", provider, '{}'::text[] as "doneBy"
      from recovered_payments
      where kind = ${kind} and reference = any(${batch}::text[])
      union all ${own}`.execute(database);
    for (const row of rows) known.set(row.reference, row);
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
    select provider_reference as receipt, payment_reference::text as reference from redemptions
    where provider = ${provider} and provider_reference = any(${receipts}::text[])`.execute(
    database,
  );
  return new Map(rows.map(({ receipt, reference }) => [receipt, reference]));
}

const referenceColumns = {
  payment: [sql`redemptions`, sql`payment_reference::text`],
  'top-up': [sql`topup_attempts`, sql`reference`],
} as const;

/**
 * Names the provider that has a payment or attempt on hold: the database may have been restored to
 * before another one was asked, and its workflow must ask whoever got it. The one that had it is asked, too.
 */
export async function placeHeld(
  transaction: DatabaseTransaction,
  held: Pick<RecoveredPayment, 'kind' | 'reference'> & { readonly provider: string },
): Promise<void> {
  const [table, column] = referenceColumns[held.kind];
  await sql`
    with held as (
      select operation_id as id, provider as former from ${table}
      where ${column} = ${held.reference} and status = 'HELD'
        and provider <> ${held.provider} for no key update
    ), placed as (
      update ${table} set provider = ${held.provider} from held where operation_id = held.id
    ), known as (
      update provider_failovers set ${DUE_NOW} from held
      where operation_id = held.id and from_provider = former
        and booked_at is null and settled_at is null)
    insert into provider_failovers (operation_id, from_provider, to_provider, message, recheck_at)
    select id, former, ${held.provider}, 'It was found at the other one after a restore', ${firstInquiry}
    from held where not exists (select from provider_failovers
      where operation_id = held.id and from_provider = former)`.execute(transaction);
}

/**
 * Asks for inquiries about payments that a provider and our books see differently: the next reconciliation books what
 * that provider says. One that has it beside the provider of our row is asked as one that was asked before it.
 */
export async function recheckPayments(
  transaction: DatabaseTransaction,
  kind: RecoveredPayment['kind'],
  differing: readonly { readonly reference: string; readonly provider: string }[],
): Promise<void> {
  const [table, column] = referenceColumns[kind];
  const [references, providers] = [
    differing.map(({ reference }) => reference),
    differing.map(({ provider }) => provider),
  ];
  await sql`
    with ended as materialized (
      -- A provider's list may have a reference twice.
      select distinct operation_id as id, provider as former, asked
      from ${table}
      join unnest(${references}::text[], ${providers}::text[]) as theirs (named, asked)
        on named = ${column}
      where status <> 'HELD'
    ), own as (
      update ${table} set recheck_at = now(), ${NEW_DOUBT} from ended
      where operation_id = ended.id and former = asked
    ), others as materialized (
      select * from ended where former <> asked
    ), known as (
      update provider_failovers set ${DUE_NOW}, ${NEW_DOUBT} from others
      where operation_id = others.id and from_provider = asked
        and booked_at is null and settled_at is null
    )
    insert into provider_failovers (operation_id, from_provider, to_provider, message, recheck_at, doubted_since)
    select id, asked, former, 'It was found at this one, too, after a restore', now(), now() from others
    where not exists (select from provider_failovers
      where operation_id = others.id and from_provider = asked)`.execute(transaction);
}
