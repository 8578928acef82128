import { sql } from 'kysely';
import type { DatabaseTransaction } from '../../src/db/connection.ts';
import type { TestMerchant } from '../../test/support/companies.ts';
import { createClientLog, partnerCompany } from '../clients/client-log.ts';
import { keyed } from '../clients/operations.ts';
import { bodyOf } from '../clients/outcome.ts';
import { untilDone } from '../clients/read-surely.ts';
import { createSendCall } from '../clients/send-call.ts';
import { type FaultScene, persist } from './fault-scene.ts';

/**
 * Has the database forget one redemption, as a restore of an older backup would, although the provider
 * has paid it. The same request must be answered in the same way and must not be paid again: its
 * reference towards the provider follows from the request alone.
 */
export async function forgetRedemption(scene: FaultScene): Promise<string> {
  const { stack, world, random, log } = scene;
  // Nobody else may use the voucher, so its calls join the others' log when all is over.
  const ownLog = createClientLog();
  const send = createSendCall(stack.url, world, ownLog);
  try {
    const partner = random.pick(world.partners);
    const company = partnerCompany(partner.id);
    const generation = await untilDone(
      send,
      keyed('generate-voucher', company, {
        denominationId: partner.denominations['500'],
        merchantId: random.pick(world.merchants.filter(isPaidAtOnce)).id,
        msisdn: null,
        isRestricted: true,
      }),
    );
    if (!generation) return 'no voucher could be generated';
    const { voucherCode } = bodyOf(generation.response)?.data.voucher ?? {};
    // M-Pesa would pay it again, and is not chosen: it carries whole birr, and with any fee an odd
    // number of hundredths leaves none.
    const amount = (random.integer(500, 20_000) * 2 + 1) / 100;
    const redemption = keyed('redeem-gift', company, { voucherCode, amount });
    if (!(await untilDone(send, redemption))) return 'the voucher could not be redeemed';
    const operationId = stack.digests.operation({
      company,
      kind: 'redeem-gift',
      key: redemption.key ?? '',
    });
    await persist(() =>
      stack.database.transaction().execute((transaction) => forget(transaction, operationId)),
    );
    const again = await untilDone(send, redemption);
    return `operation ${operationId}, ${again ? 'repeated' : 'to be repeated'}`;
  } finally {
    for (const { client, call, sentAt, milliseconds, response } of ownLog.entries)
      log.add({ client, call, sentAt, milliseconds, response });
  }
}

const isPaidAtOnce = ({ payoutNumber }: TestMerchant): boolean => payoutNumber.endsWith('000');

/** Takes every row of the redemption away, and what they had changed, as if it had never been. */
async function forget(transaction: DatabaseTransaction, operationId: string): Promise<void> {
  // No trigger: the ledger allows nobody to take anything back.
  await sql`set local session_replication_role = replica`.execute(transaction);
  // A dispatch under way would make a delivery of an event that is deleted here, which then waits for days.
  await sql`lock table webhook_deliveries in share row exclusive mode`.execute(transaction);
  await sql`
    with gone as (
      delete from ledger_transfers where operation_id = ${operationId} returning *
    ), entries as (
      select credit_account_id as account_id, amount from gone
      union all select debit_account_id, -amount from gone
    ), change as (
      select account_id, sum(amount) as amount from entries group by account_id
    )
    update ledger_accounts set balance = balance - change.amount
    from change where ledger_accounts.id = change.account_id and balance is not null`.execute(
    transaction,
  );
  await sql`
    with gone as (
      delete from events where (data ->> 'redemptionId')::bigint in (
        select id from redemptions where operation_id = ${operationId})
      returning number
    )
    delete from webhook_deliveries where event_number in (select number from gone)`.execute(
    transaction,
  );
  const { rows } = await sql<{ voucher_id: number }>`
    with gone as (
      delete from redemptions where operation_id = ${operationId}
      returning voucher_id, to_merchant + service_fee as taken
    )
    update vouchers set remaining = remaining + taken, status = 'ACTIVE'
    from gone where vouchers.id = gone.voucher_id returning voucher_id`.execute(transaction);
  for (const { voucher_id } of rows)
    await transaction
      .deleteFrom('voucher_status_changes')
      .where('voucher_id', '=', voucher_id)
      .execute();
  await sql`
    with gone as (delete from placements where operation_id = ${operationId} returning id)
    delete from observations where placement_id in (select id from gone)`.execute(transaction);
  await transaction.deleteFrom('operations').where('id', '=', operationId).execute();
}
