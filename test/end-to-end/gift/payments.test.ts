import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusalData } from '../../support/clients.ts';
import { REDEEM, repeated } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

const RDM = /^RDM-[0-9A-F]{16}$/;

let scene: RedemptionScene;

describe.concurrent('a redemption whose payment the provider', () => {
  beforeAll(async () => {
    scene = await setRedemptionScene();
  });
  afterAll(() => scene?.stop());

  test.each([
    ['makes, then calls a duplicate', 'merchant', '005'],
    ['makes, then drops the connection', 'partner', '008'],
  ] as const)('%s is made once, on the %s API', async (_what, surface, payoutSuffix) => {
    const { merchant, client } = await scene.payee(surface, { payoutSuffix });
    const gift = await scene.gift({ merchant });
    const { data } = (await scene.redeemed(client, gift, { amount: 40 })).body;
    expect(scene.payoutsTo(merchant)).toMatchObject([{ amount: '40.00', status: 'completed' }]);
    const posted = await scene.postedRedemptions(gift);
    expect(posted).toMatchObject([{ to_merchant: '40.000000', service_fee: '1.000000' }]);
    expect(posted[0]?.provider_reference).toBe(data.referenceNumber);
  });

  test.each([
    ['refuses for an unknown account', 'merchant', '002', 'does not exist'],
    ['takes and fails', 'partner', '004', 'could not make the payment'],
  ] as const)('%s moves nothing, on the %s API', async (_what, surface, payoutSuffix, says) => {
    const { merchant, client } = await scene.payee(surface, { payoutSuffix });
    const gift = await scene.gift({ merchant, owner: null });
    const { body } = await redeem(client, gift);
    expect(body.statusCode).toBe(surface === 'merchant' ? 5031 : 404);
    expect(body.message).toContain(says);
    expect(await scene.voucher(gift)).toMatchObject({
      status: 'ACTIVE',
      remaining: '100.000000',
      held: '0.000000',
    });
    expect(await scene.transfersOf(gift)).toEqual(['hold 100.00', 'void 100.00']);
    expect(scene.amountsPaidTo(merchant)).not.toContain('97.50 completed');
    expect(await scene.postedRedemptions(gift)).toEqual([]);
  });

  test.each([
    ['makes', '005', 'REDEEMED'],
    ['refuses', '002', 'REFUSED'],
  ] as const)('%s ends its claim, which keeps no code', async (_what, payoutSuffix, status) => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
    const gift = await scene.gift({ merchant });
    await redeem(client, gift, { verificationCode: await scene.claimed(client, gift) });
    const claims = await scene.stack.database
      .selectFrom('voucher_claims')
      .select(['status', 'code_ciphertext'])
      .where('voucher_id', '=', gift.id)
      .execute();
    expect(claims).toEqual([{ status, code_ciphertext: null }]);
  });

  test('leaves pending waits for the provider’s word', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const waiting = redeem(client, gift, { verificationCode });
    await scene.untilPaidTo(merchant);
    expect(await scene.voucher(gift)).toMatchObject({
      status: 'REDEEM_PROCESSING',
      remaining: '0.000000',
      held: '100.000000',
    });
    const detail = await scene.asPartner.get('/info/get-current-balance');
    expect(detail.body.data.reservedBalance).toBeGreaterThanOrEqual(100);
    await scene.settlePayout(merchant, 'completed');
    expect((await waiting).status).toBe(200);
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await scene.postedRedemptions(gift)).toHaveLength(1);
  });

  test('has while its caller hangs up is booked all the same', async () => {
    const { merchant } = await scene.payee('partner', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant, owner: null });
    const hangUp = new AbortController();
    const caller = fetch(scene.asPartner.base + REDEEM, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'x-api-token': scene.asPartner.token },
      body: JSON.stringify({ voucherCode: gift.voucherCode }),
      signal: hangUp.signal,
    });
    await scene.untilPaidTo(merchant);
    hangUp.abort();
    await expect(caller).rejects.toThrow('aborted');
    await scene.settlePayout(merchant, 'completed');
    await scene.untilStatus(gift, 'REDEEMED');
    expect(await scene.postedRedemptions(gift)).toMatchObject([{ to_merchant: '97.500000' }]);
  });
});

describe('a redemption that takes longer than its caller waits', () => {
  beforeAll(async () => {
    scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '1' });
  });
  afterAll(() => scene?.stop());

  test.concurrent('is 4092 for a merchant, and the same request gives its result', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const idempotencyKey = randomUUID();
    const send = () => redeem(client, gift, { verificationCode, idempotencyKey });
    const first = await send();
    const repetition = repeated(send);
    await scene.settlePayout(merchant, 'completed');
    const last = await repetition;
    expect(first.body).toEqual({
      success: false,
      statusCode: 4092,
      message: 'Still processing: repeat the same request to get the result',
      data: null,
    });
    expect(last.body).toMatchObject({ success: true, data: { idempotencyKey } });
    const replay = await send();
    expect(replay.body).toEqual(last.body);
    expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await scene.postedRedemptions(gift)).toHaveLength(1);
  });

  test.concurrent.each([
    ['with a key', { 'Idempotency-Key': randomUUID() }],
    ['without a key, whose repetition joins it', {}],
  ])('is 409 with its reference for a partner %s', async (_title, headers) => {
    const { merchant } = await scene.payee('partner', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(scene.asPartner, gift);
    const body = { voucherCode: gift.voucherCode, verificationCode };
    const send = () => scene.asPartner.post(REDEEM, body, headers);
    // There is a reference once money is on hold, which may take longer than a caller waits.
    await Promise.all([send(), scene.untilPaidTo(merchant)]);
    const first = await send();
    const repetition = repeated(send);
    await scene.settlePayout(merchant, 'completed');
    const last = await repetition;
    const { platform_reference } = await scene.stack.database
      .selectFrom('redemptions')
      .select('platform_reference')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(first.body).toEqual({
      success: false,
      statusCode: 409,
      message: 'Still processing: repeat the same request to get the result',
      data: refusalData('partner', 'still-processing', { referenceNumber: platform_reference }),
    });
    expect(platform_reference).toMatch(RDM);
    expect(last.body).toMatchObject({ success: true, statusCode: 200 });
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await scene.postedRedemptions(gift)).toHaveLength(1);
  });

  test.concurrent('is joined by many repetitions at once, of a partner without a key', async () => {
    const { merchant } = await scene.payee('partner', { payoutSuffix: '200' });
    const gift = await scene.gift({ merchant, owner: null });
    const send = () => redeem(scene.asPartner, gift, { amount: 40 });
    const results = await Promise.all(Array.from({ length: 8 }, () => repeated(send)));
    const references = results.map(({ body }) => body.data?.referenceNumber);
    expect(new Set(references).size).toBe(1);
    expect(scene.amountsPaidTo(merchant)).toEqual(['40.00 completed']);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '59.000000' });
  });

  test.concurrent('adds no update to its workflow by repetitions without a key', async () => {
    const { merchant } = await scene.payee('partner', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(scene.asPartner, gift);
    const send = () => redeem(scene.asPartner, gift, { verificationCode });
    expect((await send()).status).toBe(409);
    const updates = await updatesOf(gift);
    const answers = await Promise.all(Array.from({ length: 15 }, send));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
    expect(await updatesOf(gift)).toBe(updates);
    // One with a key is another request.
    const keyed = { 'Idempotency-Key': randomUUID() };
    const other = await scene.asPartner.post(
      REDEEM,
      { voucherCode: gift.voucherCode, verificationCode },
      keyed,
    );
    expect(other.body.message).toContain('in progress');
    await scene.settlePayout(merchant, 'completed');
    expect((await repeated(send)).status).toBe(200);
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  });

  /** Those that the workflow of the voucher's claim has taken. */
  async function updatesOf({ id }: { readonly id: number }): Promise<number> {
    const { database, temporal } = scene.stack;
    const { workflow_id } = await database
      .selectFrom('voucher_claims')
      .select('workflow_id')
      .where('voucher_id', '=', id)
      .executeTakeFirstOrThrow();
    const handle = temporal.client.workflow.getHandle(workflow_id ?? '');
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)
      .length;
  }

  test.concurrent('is on hold after a 401 that is not the provider’s own: it may have been taken', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '018' });
    const gift = await scene.gift({ merchant, owner: null });
    expect((await redeem(client, gift)).body.statusCode).toBe(4092);
    expect(await scene.transfersOf(gift)).toEqual(['hold 100.00']);
  });

  test.concurrent('is told the truth when the payment is refused in the end', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const send = () => redeem(client, gift, { verificationCode, idempotencyKey: 'refused' });
    expect((await send()).body.statusCode).toBe(4092);
    await scene.settlePayout(merchant, 'failed');
    const last = await repeated(send);
    expect(last.body).toMatchObject({ success: false, statusCode: 5031 });
    expect((await send()).body).toEqual(last.body);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', held: '0.000000' });
    // The code, and no confirmation of what did not happen.
    expect(scene.stack.sandbox.books.messages(gift.owner ?? '')).toHaveLength(1);
  });
});
