import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calls } from '../../src/operations/workflow-calls.ts';
import {
  cancelVoucherId,
  checkPayoutAccountId,
  claimId,
  generateBulkId,
  resendMessageId,
  reverseRedemptionId,
} from '../../workflows/workflow-ids.ts';
import {
  merchantClient,
  newestCode,
  partnerClient,
  type RawMerchant,
  type RawPartner,
} from '../support/clients.ts';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../support/companies.ts';
import { breakStatement } from '../support/database-faults.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { detailsOf } from './details-of.ts';
import { ended as endedIn } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/**
 * Every branch of the workflows on the real server. `RECORD_HISTORIES=1` also writes the histories that have a
 * name here to test/histories, where replay.test.ts holds later code against them.
 */
let stack: Stack;
let partner: TestPartner;
let asPartner: RawPartner;
let numbers = 0;

beforeAll(async () => {
  stack = await startStack({
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    CLAIM_LIFETIME_SECONDS: '8',
    PAYMENT_ALARM_SECONDS: '2',
  });
  partner = await makePartner(stack);
  asPartner = await partnerClient(stack, partner);
});
afterAll(() => stack?.stop());

/** An owner's number of its own per scenario; `suffix` steers the sandbox's SMS. */
function ownerNumber(suffix = '000'): string {
  numbers += 1;
  return `+25192${String(numbers).padStart(4, '0')}${suffix}`;
}

async function makeVoucher(merchant: TestMerchant, msisdn: string | null) {
  const { body } = await asPartner.post('/topup-transactions/generate-voucher', {
    denominationId: partner.denominations[100],
    merchantId: merchant.id,
    msisdn,
  });
  return { id: Number(body.data.voucher.id), code: String(body.data.voucher.voucherCode) };
}

const voucherRow = (id: number) =>
  stack.database.selectFrom('vouchers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function claimWorkflowOf(voucherId: number): Promise<string> {
  const claim = await stack.database
    .selectFrom('voucher_claims')
    .select('workflow_id')
    .where('voucher_id', '=', voucherId)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  return claim.workflow_id ?? '';
}

const ended = (workflowId: string, history?: string) => endedIn(stack, workflowId, history);

const pageOf = (workflowId: string) =>
  detailsOf(stack.temporal.client.workflow.getHandle(workflowId));

async function claimed(options: { payoutSuffix?: string; ownerSuffix?: string } = {}) {
  const { payoutSuffix = '000', ownerSuffix = '000' } = options;
  const merchant = await makeMerchant(stack, { payoutSuffix });
  const client = await merchantClient(stack, merchant);
  const msisdn = ownerNumber(ownerSuffix);
  const voucher = await makeVoucher(merchant, msisdn);
  const claim = await client.post('/topup-transactions/initiate-claim', {
    voucherCode: voucher.code,
  });
  const workflowId = await claimWorkflowOf(voucher.id);
  return { merchant, client, msisdn, voucher, claim, workflowId };
}

const eventsOf = async (workflowId: string) =>
  (await stack.temporal.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];

/** The names of the activities with tasks of their own, in the order of their start. */
const activitiesOf = async (workflowId: string): Promise<string[]> =>
  (await eventsOf(workflowId)).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  );

/** The names of what the SDK recorded by itself, such as a local activity. */
const markersOf = async (workflowId: string): Promise<string[]> =>
  (await eventsOf(workflowId)).flatMap(
    ({ markerRecordedEventAttributes: recorded }) => recorded?.markerName ?? [],
  );

const redeem = (client: RawMerchant, voucherCode: string, verificationCode: string) =>
  client.post('/topup-transactions/redeem-gift', {
    voucherCode,
    verificationCode,
    idempotencyKey: randomUUID(),
  });

describe('redeem-voucher', () => {
  it('ends redeemed when the merchant was paid, and sends its messages without activities', async () => {
    const { client, msisdn, voucher, workflowId } = await claimed();
    await redeem(client, voucher.code, await newestCode(stack, msisdn));
    expect(await ended(workflowId, 'claim-redeemed')).toEqual({ ended: 'redeemed' });
    expect((await voucherRow(voucher.id)).status).toBe('REDEEMED');
    expect(await activitiesOf(workflowId)).toEqual(['payMerchant']);
  });

  it('goes on after a wrong code', async () => {
    const { client, msisdn, voucher, workflowId } = await claimed();
    const code = await newestCode(stack, msisdn);
    const wrong = await redeem(client, voucher.code, code === '111111' ? '222222' : '111111');
    expect(wrong.body.statusCode).toBe(4035);
    await redeem(client, voucher.code, code);
    expect(await ended(workflowId, 'claim-wrong-code')).toEqual({ ended: 'redeemed' });
  });

  it('shows that its code was not delivered, and goes on', async () => {
    stack.sandbox.postSmsReportsTo(`${stack.url}/callbacks/africas-talking`);
    const { client, voucher, workflowId } = await claimed({ ownerSuffix: '015' });
    await until(async () =>
      expect(await pageOf(workflowId)).toContain('**The code was not delivered**: DeliveryFailure'),
    );
    await client.post('/topup-transactions/initiate-claim', { voucherCode: voucher.code });
    expect(await ended(workflowId, 'claim-undelivered')).toEqual({ ended: 'superseded' });
  });

  it('shows what was reported about its code before the provider had answered', async () => {
    stack.sandbox.postSmsReportsTo(`${stack.url}/callbacks/africas-talking`);
    const { client, voucher, workflowId } = await claimed({ ownerSuffix: '010' });
    await until(async () =>
      expect(await pageOf(workflowId)).toContain('The code was delivered to the owner'),
    );
    await client.post('/topup-transactions/initiate-claim', { voucherCode: voucher.code });
    expect(await ended(workflowId)).toEqual({ ended: 'superseded' });
  });

  it('ends superseded when a new claim takes its place', async () => {
    const { client, voucher, workflowId } = await claimed();
    const claimAgain = () =>
      client.post('/topup-transactions/initiate-claim', { voucherCode: voucher.code });
    await claimAgain();
    expect(await ended(workflowId)).toEqual({ ended: 'superseded' });
    expect(await pageOf(workflowId)).toContain('**Superseded**: the claim of ETB 100.00');
    const second = await claimWorkflowOf(voucher.id);
    await claimAgain();
    // It has told the first claim, and is told by the third one.
    expect(await ended(second, 'claim-superseded')).toEqual({ ended: 'superseded' });
    expect((await voucherRow(voucher.id)).current_claim_id).not.toBeNull();
  });

  it('ends withdrawn when its voucher is cancelled, by a workflow of its own', async () => {
    const { voucher, workflowId } = await claimed();
    const answer = await asPartner.post(`/vouchers/${voucher.id}/cancel`, undefined);
    expect(answer.body.data).toMatchObject({ status: 'CANCELLED' });
    expect(await ended(workflowId, 'claim-withdrawn')).toEqual({ ended: 'withdrawn' });
    const operation = await stack.database
      .selectFrom('operations')
      .select('id')
      .where('kind', '=', 'cancel-voucher')
      .executeTakeFirstOrThrow();
    expect(await ended(cancelVoucherId(operation.id), 'cancel-voucher')).toMatchObject({
      result: { ok: true },
    });
  });

  it('goes on when its code is sent again, by a workflow of its own', async () => {
    const { client, msisdn, voucher, workflowId } = await claimed();
    const code = await newestCode(stack, msisdn);
    const answer = await asPartner.post(`/vouchers/${voucher.id}/resend`, undefined);
    expect(answer.body.data).toMatchObject({ kind: 'VERIFICATION_CODE' });
    expect(await newestCode(stack, msisdn)).toBe(code);
    await redeem(client, voucher.code, code);
    expect(await ended(workflowId)).toEqual({ ended: 'redeemed' });
    const operation = await stack.database
      .selectFrom('operations')
      .select('id')
      .where('kind', '=', 'resend-message')
      .executeTakeFirstOrThrow();
    expect(await ended(resendMessageId(operation.id), 'resend-message')).toMatchObject({
      result: { ok: true },
    });
  });

  it('ends refused when the claim is', async () => {
    const merchant = await makeMerchant(stack);
    const client = await merchantClient(stack, merchant);
    const voucher = await makeVoucher(merchant, null);
    const idempotencyKey = randomUUID();
    await client.post('/topup-transactions/initiate-claim', {
      voucherCode: voucher.code,
      idempotencyKey,
    });
    const operationId = stack.digests.operation({
      company: { kind: 'merchant', id: merchant.id },
      kind: 'initiate-claim',
      key: idempotencyKey,
    });
    const { serial_number } = await voucherRow(voucher.id);
    const workflowId = claimId(serial_number, operationId);
    expect(await ended(workflowId, 'claim-refused')).toEqual({ ended: 'refused' });
    expect(await pageOf(workflowId)).toContain(
      '**Refused**: the request: The voucher is anonymous',
    );
  });

  it('ends not paid when the provider refuses', async () => {
    const { client, msisdn, voucher, workflowId } = await claimed({ payoutSuffix: '006' });
    const answer = await redeem(client, voucher.code, await newestCode(stack, msisdn));
    expect(answer.body.statusCode).toBe(5031);
    expect(await ended(workflowId, 'claim-not-paid')).toEqual({ ended: 'not-paid' });
    expect(await voucherRow(voucher.id)).toMatchObject({ status: 'ACTIVE', held: '0.000000' });
  });

  it('ends not paid when the provider refuses the account, to which nothing is sent', async () => {
    const { client, msisdn, voucher, workflowId } = await claimed({ payoutSuffix: '026' });
    const answer = await redeem(client, voucher.code, await newestCode(stack, msisdn));
    expect(answer.body.statusCode).toBe(5031);
    expect(await ended(workflowId)).toEqual({ ended: 'not-paid' });
    const details = await pageOf(workflowId);
    expect(details).toContain('does not exist, or takes no money');
    expect(details).toContain('merchant payout-account set --help');
  });

  it('needs no claim for an anonymous voucher', async () => {
    const merchant = await makeMerchant(stack);
    const voucher = await makeVoucher(merchant, null);
    const answer = await asPartner.post('/topup-transactions/redeem-gift', {
      voucherCode: voucher.code,
    });
    expect(answer.body.statusCode).toBe(200);
    const { operation_id } = await voucherRow(voucher.id);
    const workflowId = `redeem-voucher:unclaimed-${operation_id}`;
    expect(await ended(workflowId, 'redemption-anonymous')).toEqual({ ended: 'redeemed' });
  });

  it('ends without its confirmation, which waits in the queue', async () => {
    const merchant = await makeMerchant(stack);
    const voucher = await makeVoucher(merchant, null);
    const answer = await asPartner.post('/topup-transactions/redeem-gift', {
      voucherCode: voucher.code,
      msisdn: ownerNumber('018'),
    });
    expect(answer.body.statusCode).toBe(200);
    const { operation_id } = await voucherRow(voucher.id);
    const workflowId = `redeem-voucher:unclaimed-${operation_id}`;
    expect(await ended(workflowId)).toEqual({ ended: 'redeemed' });
    const messages = stack.database.selectFrom('messages').select(['kind', 'status']);
    await until(async () =>
      expect(await messages.where('voucher_id', '=', voucher.id).execute()).toEqual([
        { kind: 'REDEMPTION_CONFIRMATION', status: 'QUEUED' },
      ]),
    );
  });
});

describe.concurrent('redeem-voucher, where it waits,', () => {
  it('waits for a slow SMS provider in an activity, so that it keeps no other waiting', async () => {
    const { client, msisdn, voucher, workflowId } = await claimed({ ownerSuffix: '300' });
    await redeem(client, voucher.code, await newestCode(stack, msisdn));
    expect(await ended(workflowId, 'claim-slow')).toEqual({ ended: 'redeemed' });
    expect(await activitiesOf(workflowId)).toEqual(['sendMessage', 'payMerchant']);
  });

  it('ends expired when nobody redeems in time', async () => {
    const { voucher, workflowId } = await claimed();
    expect((await voucherRow(voucher.id)).status).toBe('REDEEM_INITIATED');
    expect(await ended(workflowId, 'claim-expired')).toEqual({ ended: 'expired' });
    expect(await markersOf(workflowId)).not.toContain('core_patch');
    expect(await pageOf(workflowId)).toMatch(/^\*\*Expired\*\*: the claim of ETB 100\.00 of/);
    expect(await voucherRow(voucher.id)).toMatchObject({
      status: 'ACTIVE',
      current_claim_id: null,
    });
  });

  it.each([
    ['refused', '002', undefined],
    ['not sent', '018', 'claim-cancelled'],
  ])('ends cancelled when the SMS is %s', async (_name, ownerSuffix, history) => {
    const { claim, voucher, workflowId } = await claimed({ ownerSuffix });
    expect(claim.body.statusCode).toBe(5003);
    expect(await ended(workflowId, history)).toEqual({ ended: 'cancelled' });
    const page = await pageOf(workflowId);
    expect(page).toMatch(/^\*\*Cancelled\*\*: .*The SMS could not be sent/);
    expect(page).not.toContain('code was sent');
    expect((await voucherRow(voucher.id)).status).toBe('ACTIVE');
  });

  it.each([
    ['did it and dropped the connection', '008'],
    ['did it and answered 503', '009'],
    ['said pending, and completed later', '012'],
  ])('asks until it knows when the provider %s', async (_name, payoutSuffix) => {
    const { client, msisdn, voucher, workflowId } = await claimed({ payoutSuffix });
    const answer = await redeem(client, voucher.code, await newestCode(stack, msisdn));
    expect(answer.body.statusCode).toBe(200);
    const history = payoutSuffix === '012' ? 'claim-unknown' : undefined;
    expect(await ended(workflowId, history)).toEqual({ ended: 'redeemed' });
  });

  it('books with the run that waits as soon as the database takes it', async () => {
    const { client, msisdn, voucher, workflowId } = await claimed();
    const mend = await breakStatement(stack.database, {
      table: 'redemptions',
      on: 'update',
      when: `new.voucher_id = ${voucher.id} and new.status = 'POSTED'`,
    });
    const code = await newestCode(stack, msisdn);
    const answer = redeem(client, voucher.code, code);
    const handle = stack.temporal.client.workflow.getHandle(workflowId);
    await until(async () => expect(await detailsOf(handle)).toContain('**Not booked yet**'));
    await mend();
    await handle.signal('providerNudge');
    expect(await ended(workflowId, 'claim-unbooked')).toEqual({ ended: 'redeemed' });
    expect([200, 409]).toContain((await answer).status);
    expect((await voucherRow(voucher.id)).status).toBe('REDEEMED');
  });
});

describe('reverse-redemption', () => {
  /** A redemption, the request to reverse it, and the workflow of that. */
  async function reversible(payoutSuffix: string) {
    const { client, msisdn, voucher } = await claimed({ payoutSuffix });
    await redeem(client, voucher.code, await newestCode(stack, msisdn));
    const { body } = await client.get('/redemptions');
    const [{ id }] = body.data;
    const idempotencyKey = randomUUID();
    const operationId = stack.digests.operation({
      company: { kind: 'merchant', id: (await merchantOf(id)).merchant_id },
      kind: 'reverse-redemption',
      key: idempotencyKey,
    });
    return {
      voucher,
      reverse: () => client.post(`/redemptions/${id}/reverse`, { idempotencyKey }),
      workflowId: reverseRedemptionId(id, operationId),
    };
  }

  const merchantOf = (id: number) =>
    stack.database
      .selectFrom('redemptions')
      .select('merchant_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  it.each([
    ['000', 'reverse-redemption', 'reversed', /\*\*Reversed\*\*/, 'ACTIVE'],
    ['020', 'reverse-redemption-refused', 'not-reversed', /\*\*Not reversed\*\*/, 'REDEEMED'],
    ['021', undefined, 'reversed', /\*\*Reversed\*\*/, 'ACTIVE'],
  ])('of a payment to %s ends as %s', async (suffix, history, end, words, status) => {
    const { voucher, reverse, workflowId } = await reversible(suffix);
    await reverse();
    expect(await ended(workflowId, history)).toEqual({ ended: end });
    const details = await pageOf(workflowId);
    expect(details).toMatch(words);
    expect(details).toMatch(/reversal reference \S+ at gsma;/);
    expect((await voucherRow(voucher.id)).status).toBe(status);
  });

  it('calls a person while the provider does not say how it ended', async () => {
    const { faults } = stack.sandbox;
    const { reverse, workflowId } = await reversible('000');
    faults.set('gsma', { ...faults.of('gsma'), answers: 'unavailable' });
    const answer = reverse();
    const handle = stack.temporal.client.workflow.getHandle(workflowId);
    await until(async () =>
      expect(await detailsOf(handle)).toContain('**Overdue: call the provider.**'),
    );
    faults.clear();
    await handle.signal('providerNudge');
    expect(await ended(workflowId, 'reverse-redemption-unknown')).toEqual({ ended: 'reversed' });
    expect([200, 409]).toContain((await answer).status);
  });
});

describe('check-payout-account', () => {
  it('ends with what the providers say of it', async () => {
    const merchant = await makeMerchant(stack, { payoutSuffix: '026' });
    const { workflows } = stack.api.services;
    const checked = { isPaid: false, problems: [] };
    expect(
      await workflows.call(
        calls.checkPayoutAccount,
        { merchantId: merchant.id },
        Date.now() + 20_000,
      ),
    ).toEqual(checked);
    const workflowId = checkPayoutAccountId(merchant.id, stack.config.temporal.temporalTaskQueue);
    expect(await ended(workflowId, 'check-payout-account')).toEqual(checked);
  });
});

describe('generate-voucher', () => {
  it('ends with the id of the voucher', async () => {
    const merchant = await makeMerchant(stack);
    const voucher = await makeVoucher(merchant, ownerNumber());
    const { operation_id } = await voucherRow(voucher.id);
    const result = await ended(`generate-voucher:${operation_id}`, 'generate-voucher');
    expect(result).toMatchObject({ result: { ok: true, voucherId: voucher.id } });
  });
});

describe('generate-bulk', () => {
  it('ends with what became of the lines', async () => {
    const merchant = await makeMerchant(stack);
    const line = { denominationId: partner.denominations[100], msisdn: ownerNumber() };
    const { body } = await asPartner.post('/vouchers/bulk', {
      lines: [merchant.id, 999_999_999].map((merchantId) => ({
        ...line,
        merchantId,
        reference: randomUUID(),
      })),
    });
    const { id } = body.data.bulkOrder;
    const { operation_id } = await stack.database
      .selectFrom('bulk_orders')
      .select('operation_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const workflowId = generateBulkId(id, operation_id);
    const result = await ended(workflowId, 'generate-bulk');
    expect(result).toEqual({ lines: 2, generated: 1, refused: 1, cancelled: 0 });
    expect(await pageOf(workflowId)).toContain('Vouchers generated: 1 of 2');
  });
});

describe('expire-vouchers', () => {
  const runExpiry = (history?: string) => {
    const workflowId = `expiry-${randomUUID()}`;
    return stack.temporal.client.workflow
      .start('expireVouchers', { workflowId, taskQueue: stack.config.temporal.temporalTaskQueue })
      .then(() => ended(workflowId, history));
  };

  it('gives the money of vouchers that are due back', async () => {
    const merchant = await makeMerchant(stack);
    const voucher = await makeVoucher(merchant, null);
    const before = await asPartner.get('/info/get-current-balance');
    await stack.database
      .updateTable('vouchers')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('id', '=', voucher.id)
      .execute();
    expect(await runExpiry('expire-vouchers')).toMatchObject({ expiredVouchers: 1 });
    expect(await voucherRow(voucher.id)).toMatchObject({
      status: 'EXPIRED',
      returned: '100.000000',
    });
    const after = await asPartner.get('/info/get-current-balance');
    expect(after.body.data.eMoneyWalletBalance).toBe(before.body.data.eMoneyWalletBalance + 100);
  });

  it('releases a claim whose workflow was terminated by hand', async () => {
    const { voucher, workflowId } = await claimed();
    await stack.temporal.client.workflow.getHandle(workflowId).terminate('test');
    await stack.database
      .updateTable('voucher_claims')
      .set({ expires_at: sql<Date>`now() - interval '2 minutes'` })
      .where('voucher_id', '=', voucher.id)
      .execute();
    expect(await runExpiry()).toMatchObject({ expiredClaims: 1 });
    expect((await voucherRow(voucher.id)).status).toBe('ACTIVE');
  });

  it('is started by a Schedule', async () => {
    const scheduleId = `expire-vouchers:${stack.config.temporal.temporalTaskQueue}`;
    const schedule = stack.temporal.client.schedule.getHandle(scheduleId);
    await schedule.trigger();
    await until(async () => {
      const { info } = await schedule.describe();
      expect(info.numActionsTaken).toBe(1);
    });
  });
});
