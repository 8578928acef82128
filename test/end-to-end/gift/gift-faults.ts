import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Operation, Reason } from '../../../src/domain/refusals.ts';
import { breakStatement, hideTable, type StatementFault } from '../../support/database-faults.ts';
import type { Gift, GiftScene } from './gift-scene.ts';

/** Breaks something that a request on this gift meets; returns what mends it. */
type Break = (scene: GiftScene, gift: Gift) => Promise<() => Promise<void>>;

const statement =
  (fault: StatementFault): Break =>
  ({ stack }) =>
    breakStatement(stack.database, fault);

const hidden =
  (table: string): Break =>
  ({ stack }) =>
    hideTable(stack.database, table);

/** A voucher of which nothing is left although it is not redeemed. */
const emptied: Break = async ({ stack }, { id }) => {
  const setRemaining = async (remaining: string): Promise<void> => {
    await stack.database.updateTable('vouchers').set({ remaining }).where('id', '=', id).execute();
  };
  await setRemaining('0');
  return () => setRemaining('100');
};

/** A reserve that does not cover the vouchers that it stands for. */
const withoutReserve: Break = async ({ stack }, { partner }) => {
  const { database } = stack;
  const { balance } = await database
    .selectFrom('ledger_accounts')
    .select('balance')
    .where('kind', '=', 'reserved')
    .where('partner_id', '=', partner.id)
    .executeTakeFirstOrThrow();
  const move = async (debit: string, credit: string): Promise<void> => {
    const account = (kind: string) => sql`(select id from ledger_accounts
      where kind = ${kind} and coalesce(partner_id, ${partner.id}) = ${partner.id})`;
    await sql`
      insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
      values (${randomUUID()}, 'fault', ${account(debit)}, ${account(credit)}, ${balance})`.execute(
      database,
    );
  };
  await move('reserved', 'funding');
  return () => move('funding', 'reserved');
};

const withoutFee: Break = async ({ stack, merchant }) => {
  const setFee = async (service_fee_percent: string | null): Promise<void> => {
    await stack.database
      .updateTable('merchants')
      .set({ service_fee_percent })
      .where('id', '=', merchant.id)
      .execute();
  };
  await setFee(null);
  return () => setFee('2.5');
};

type Faults = Partial<Record<Reason, Readonly<Record<string, Break>>>>;

const CLAIMED = "new.status = 'REDEEM_INITIATED'";
const HELD = "new.status = 'REDEEM_PROCESSING'";

const generation: Faults = {
  'database-failed': {
    'the voucher is not recorded': statement({ table: 'vouchers', on: 'insert' }),
    'the balance cannot be written': statement({ table: 'ledger_accounts', on: 'update' }),
    'the operation is not recorded': statement({ table: 'operations', on: 'insert' }),
    'the commit fails': statement({ table: 'vouchers', on: 'insert', fails: 'commit' }),
    'prices cannot be read': hidden('partner_gift_denomination_prices'),
  },
};

const claim: Faults = {
  'status-not-updated': {
    'the update fails': statement({ table: 'vouchers', on: 'update', when: CLAIMED }),
    'the update hits no row': statement({
      table: 'vouchers',
      on: 'update',
      when: CLAIMED,
      fails: 'no row',
    }),
  },
  'message-not-queued': {
    'the message is not recorded': statement({ table: 'messages', on: 'insert' }),
  },
  'database-failed': {
    'the claim is not recorded': statement({ table: 'voucher_claims', on: 'insert' }),
    'the operation is not recorded': statement({ table: 'operations', on: 'insert' }),
    'the commit fails': statement({ table: 'voucher_claims', on: 'insert', fails: 'commit' }),
    'wrong codes cannot be read': hidden('verification_attempts'),
  },
};

const redemption: Faults = {
  'balance-insufficient': { 'nothing is left on it': emptied },
  'service-fee-missing': { 'the merchant has no fee': withoutFee },
  'redemption-not-recorded': {
    'its row cannot be written': statement({ table: 'redemptions', on: 'insert' }),
  },
  'status-not-updated': {
    'the update fails': statement({ table: 'vouchers', on: 'update', when: HELD }),
    'the update hits no row': statement({
      table: 'vouchers',
      on: 'update',
      when: HELD,
      fails: 'no row',
    }),
  },
  'reserve-not-updated': {
    'the balance cannot be written': statement({ table: 'ledger_accounts', on: 'update' }),
    'the transfer cannot be written': statement({ table: 'ledger_transfers', on: 'insert' }),
  },
  'reserve-not-debited': { 'the reserve does not cover it': withoutReserve },
  // Not that it cannot be sent: that never changes the answer.
  'message-not-queued': {
    'the confirmation is not recorded': statement({ table: 'messages', on: 'insert' }),
  },
  'database-failed': {
    'the operation is not recorded': statement({ table: 'operations', on: 'insert' }),
    'the commit fails': statement({ table: 'redemptions', on: 'insert', fails: 'commit' }),
    'payout accounts cannot be read': hidden('merchant_payout_accounts'),
  },
};

/** Every fault of the gift path with the reason that it is answered by. */
export const giftFaults: readonly (readonly [Operation, Reason, string, Break])[] = (
  [
    ['generate-voucher', generation],
    ['initiate-claim', claim],
    ['redeem-gift', redemption],
  ] as const
).flatMap(([operation, faults]) =>
  Object.entries(faults).flatMap(([reason, breaks]) =>
    Object.entries(breaks).map(
      ([what, breakIt]) => [operation, reason as Reason, what, breakIt] as const,
    ),
  ),
);
