import { type Kysely, sql } from 'kysely';

/**
 * Callbacks about payments: since when the outcome of a payment is not known, and what M-Pesa tells
 * about payments and inquiries, which it answers only by callbacks.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table redemptions add column unknown_since timestamptz;

    create table mpesa_results (
      id bigint generated always as identity primary key,
      received_at timestamptz not null default now(),
      -- Our reference of the payment.
      reference uuid not null,
      kind text not null check (kind in ('payment', 'inquiry')),
      -- Of the provider, one for each request: a repeated callback adds nothing.
      conversation_id text not null,
      result_code text not null,
      description text not null,
      -- What an inquiry says of the payment.
      transaction_status text,
      receipt text,
      -- What the provider has, if it is not what we sent.
      difference text check (difference in ('reference', 'amount', 'payee')),
      -- When an inquiry of ours was answered with it.
      used_at timestamptz,
      unique (reference, kind, conversation_id)
    );
    create index mpesa_results_by_age on mpesa_results (received_at);
  `.execute(database);
}
