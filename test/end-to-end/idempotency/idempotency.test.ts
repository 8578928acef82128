import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, merchantClient, partnerClient, wasReplayed } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import {
  CLAIM,
  type Client,
  done,
  GENERATE,
  type Gift,
  type GiftScene,
  newOwner,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';
import { removedCauses } from './removed-causes.ts';

/** Design 6, on both surfaces. */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene({ CALLER_WAIT_SECONDS: '25' });
});
afterAll(() => scene?.stop());

/**
 * A client whose requests all carry one key: where each surface looks for it, the partner's in a
 * header and the merchant's in the body.
 */
const keyed = (client: Client, idempotencyKey: string = randomUUID()): Client => ({
  post: (path, body, headers) =>
    client.post(
      path,
      { ...body, idempotencyKey },
      { 'Idempotency-Key': idempotencyKey, ...headers },
    ),
});

const generation = (extra: object = {}) => ({
  denominationId: scene.partner.denominations[100],
  merchantId: scene.merchant.id,
  msisdn: newOwner(),
  ...extra,
});

const messagesTo = ({ owner }: Gift) => scene.stack.sandbox.books.messages(owner ?? '');

async function vouchersOf(partnerId: number): Promise<number> {
  const { count } = await scene.stack.database
    .selectFrom('vouchers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('partner_id', '=', partnerId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

const clients = [
  ['partner', () => scene.asPartner],
  ['merchant', () => scene.asMerchant],
] as const;

/** The first answer again, and said to be it. */
function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.body).toEqual(first.body);
  expect(answer.status).toBe(first.status);
  expect([wasReplayed(first), wasReplayed(answer)]).toEqual([false, true]);
}

describe('the same request with the same key', () => {
  test('generates one voucher', async () => {
    const body = generation();
    const client = keyed(scene.asPartner);
    const before = await vouchersOf(scene.partner.id);
    const first = done(await client.post(GENERATE, body));
    expectReplay(await client.post(GENERATE, body), first);
    expect(await vouchersOf(scene.partner.id)).toBe(before + 1);
  });

  test.each(clients)('claims once, on the %s API', async (_surface, clientOf) => {
    const gift = await scene.gift();
    const client = keyed(clientOf());
    const { voucherCode } = gift;
    const first = done(await client.post(CLAIM, { voucherCode }));
    expectReplay(await client.post(CLAIM, { voucherCode }), first);
    expect(messagesTo(gift)).toHaveLength(1);
    await scene.claimed(clientOf(), gift);
    expectReplay(await client.post(CLAIM, { voucherCode }), first);
    expect(messagesTo(gift)).toHaveLength(2);
  });

  test.each(clients)('redeems once, on the %s API', async (_surface, clientOf) => {
    const merchant = await makeMerchant(scene.stack);
    const gift = await scene.gift({ merchant, isRestricted: false, denomination: 500 });
    const client = keyed(clientOf());
    const verificationCode = await scene.claimed(clientOf(), gift, { amount: 40 });
    const body = { voucherCode: gift.voucherCode, verificationCode };
    const first = done(await client.post(REDEEM, body));
    const after = await scene.holdings();
    expectReplay(await client.post(REDEEM, body), first);
    // A later redemption of the rest changes nothing of the first answer.
    await scene.redeemed(clientOf(), gift);
    expectReplay(await client.post(REDEEM, body), first);
    expect(after.payouts.length + 1).toBe((await scene.holdings()).payouts.length);
  });

  test('is the same after a new log-in', async () => {
    const body = generation();
    const first = done(await keyed(scene.asPartner, 'k1').post(GENERATE, body));
    const again = await partnerClient(scene.stack, scene.partner);
    expectReplay(await keyed(again, 'k1').post(GENERATE, body), first);
  });

  test('is another request without a key: a partner gets two vouchers', async () => {
    const body = generation();
    const [one, two] = [
      done(await scene.asPartner.post(GENERATE, body)),
      done(await scene.asPartner.post(GENERATE, body)),
    ];
    expect(one.body.data.voucher.id).not.toBe(two.body.data.voucher.id);
    expect([one, two].some(wasReplayed)).toBe(false);
  });
});

/** By one API each: the database alone decides who comes first, and it knows no API. */
describe('twenty of them at once', () => {
  const TIMES = 20;

  async function twenty(send: () => Promise<Answer>): Promise<Answer> {
    const answers = await Promise.all(Array.from({ length: TIMES }, send));
    const [first] = answers;
    for (const answer of answers)
      expect(JSON.stringify(answer.body)).toBe(JSON.stringify(first?.body));
    expect(answers.filter(wasReplayed)).toHaveLength(TIMES - 1);
    return done(first as Answer);
  }

  test('generate one voucher', async () => {
    const body = generation();
    const client = keyed(scene.asPartner);
    const before = await vouchersOf(scene.partner.id);
    await twenty(() => client.post(GENERATE, body));
    expect(await vouchersOf(scene.partner.id)).toBe(before + 1);
  });

  test('claim once and send one message', async () => {
    const gift = await scene.gift();
    const client = keyed(scene.asMerchant);
    await twenty(() => client.post(CLAIM, { voucherCode: gift.voucherCode }));
    expect(messagesTo(gift)).toHaveLength(1);
    const verificationCode = messagesTo(gift)[0]?.text.slice(0, 6);
    const { voucherCode } = gift;
    done(await scene.asMerchant.post(REDEEM, { voucherCode, verificationCode }));
  });

  test('redeem once and pay once', async () => {
    const gift = await scene.gift();
    const client = keyed(scene.asPartner);
    const verificationCode = await scene.claimed(scene.asPartner, gift, { amount: 40 });
    const before = scene.payoutsTo(scene.merchant).length;
    const body = { voucherCode: gift.voucherCode, verificationCode };
    await twenty(() => client.post(REDEEM, body));
    expect(scene.payoutsTo(scene.merchant)).toHaveLength(before + 1);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '59.000000' });
  });

  test('redeem an anonymous voucher once', async () => {
    const gift = await scene.gift({ owner: null });
    const client = keyed(scene.asMerchant);
    const body = { voucherCode: gift.voucherCode, amount: 40 };
    await twenty(() => client.post(REDEEM, body));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '59.000000' });
  });

  test('count one wrong code', async () => {
    const gift = await scene.gift();
    const code = await scene.claimed(scene.asPartner, gift);
    const client = keyed(scene.asPartner);
    const body = { voucherCode: gift.voucherCode, verificationCode: otherCode(code) };
    const answers = await Promise.all(
      Array.from({ length: TIMES }, () => client.post(REDEEM, body)),
    );
    for (const answer of answers)
      expectRefusal(answer, 'partner', 403, { reason: 'verification-code-incorrect' });
    const attempts = await scene.stack.database
      .selectFrom('verification_attempts')
      .select('operation_id')
      .where('voucher_id', '=', gift.id)
      .execute();
    expect(attempts).toHaveLength(1);
  });
});

describe('the same key for another request', () => {
  const reused = { reason: 'key-reused' } as const;

  test('generates nothing', async () => {
    const client = keyed(scene.asPartner);
    const body = generation();
    done(await client.post(GENERATE, body));
    const before = await scene.holdings();
    for (const change of [
      { denominationId: scene.partner.denominations[500] },
      { msisdn: newOwner() },
      { msisdn: null },
      { isRestricted: false },
      { currency: 'USD' },
    ])
      expectRefusal(await client.post(GENERATE, { ...body, ...change }), 'partner', 422, reused);
    expect(await scene.holdings()).toEqual(before);
  });

  test('claims nothing', async () => {
    const client = keyed(scene.asMerchant);
    const [gift, other] = [await scene.gift(), await scene.gift()];
    const { voucherCode } = gift;
    done(await client.post(CLAIM, { voucherCode }));
    const before = await scene.holdings();
    for (const body of [{ voucherCode, amount: 40 }, { voucherCode: other.voucherCode }])
      expectRefusal(await client.post(CLAIM, body), 'merchant', 422, reused);
    expect(await scene.holdings()).toEqual(before);
    expect(messagesTo(gift)).toHaveLength(1);
    expect(messagesTo(other)).toHaveLength(0);
  });

  test('redeems nothing', async () => {
    const client = keyed(scene.asPartner);
    const gift = await scene.gift({ owner: null });
    const { voucherCode } = gift;
    done(await client.post(REDEEM, { voucherCode, amount: 40 }));
    const before = await scene.holdings();
    for (const body of [
      { voucherCode, amount: 41 },
      { voucherCode },
      { voucherCode, amount: 40, msisdn: newOwner() },
    ])
      expectRefusal(await client.post(REDEEM, body), 'partner', 422, reused);
    expect(await scene.holdings()).toEqual(before);
  });

  test('is refused for other metadata of a merchant too', async () => {
    const client = keyed(scene.asMerchant);
    const { voucherCode } = await scene.gift();
    done(await client.post(CLAIM, { voucherCode, metadata: '{"till":1}' }));
    const other = await client.post(CLAIM, { voucherCode, metadata: '{"till":2}' });
    expectRefusal(other, 'merchant', 422, reused);
  });

  test('is refused while the first still runs', async () => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix: '014' });
    const client = keyed(await merchantClient(scene.stack, merchant));
    const { voucherCode } = await scene.gift({ merchant, owner: null });
    const waiting = client.post(REDEEM, { voucherCode, amount: 40 });
    await scene.untilPaidTo(merchant);
    expectRefusal(await client.post(REDEEM, { voucherCode, amount: 41 }), 'merchant', 422, reused);
    await scene.settlePayout(merchant, 'completed');
    done(await waiting);
    expect(scene.payoutsTo(merchant)).toHaveLength(1);
  });

  test('with the same bytes at another endpoint of the merchant API is refused by its signature', async () => {
    const { voucherCode } = await scene.gift();
    const text = JSON.stringify({
      voucherCode,
      verificationCode: '123456',
      idempotencyKey: randomUUID(),
    });
    done(await scene.asMerchant.postRaw(CLAIM, text));
    const before = await scene.holdings();
    expectRefusal(await scene.asMerchant.postRaw(REDEEM, text), 'merchant', 422, {
      reason: 'signed-request-reused',
    });
    expect(await scene.holdings()).toEqual(before);
    expect(wasReplayed(done(await scene.asMerchant.postRaw(CLAIM, text)))).toBe(true);
  });
});

describe('the same key is another one', () => {
  test('at every endpoint of the partner API', async () => {
    const client = keyed(scene.asPartner);
    const owner = newOwner();
    const generated = done(await client.post(GENERATE, generation({ msisdn: owner })));
    const { voucherCode, id } = generated.body.data.voucher;
    done(await client.post(CLAIM, { voucherCode }));
    const gift: Gift = { id: Number(id), voucherCode, owner, partner: scene.partner };
    const verificationCode = messagesTo(gift)[0]?.text.slice(0, 6);
    const redeemed = done(await client.post(REDEEM, { voucherCode, verificationCode }));
    expect(wasReplayed(redeemed)).toBe(false);
  });

  test('at every endpoint of the merchant API', async () => {
    const client = keyed(scene.asMerchant);
    await scene.redeemed(client, await scene.gift());
  });

  test('of every company', async () => {
    const other = await makePartner(scene.stack);
    const asOther = await partnerClient(scene.stack, other);
    const key = randomUUID();
    const first = done(await keyed(scene.asPartner, key).post(GENERATE, generation()));
    const body = generation({ denominationId: other.denominations[100] });
    const second = done(await keyed(asOther, key).post(GENERATE, body));
    expect(second.body.data.voucher.id).not.toBe(first.body.data.voucher.id);

    const merchant = await makeMerchant(scene.stack);
    const asOtherMerchant = await merchantClient(scene.stack, merchant);
    const here = await scene.gift();
    const there = await scene.gift({ merchant });
    await scene.redeemed(keyed(scene.asMerchant, key), here);
    await scene.redeemed(keyed(asOtherMerchant, key), there);
  });
});

describe('a refusal', () => {
  test('of a mistyped code frees its key for the right one', async () => {
    const client = keyed(scene.asMerchant);
    const gift = await scene.gift();
    const { voucherCode } = gift;
    const code = await scene.claimed(scene.asMerchant, gift);
    const wrong = { voucherCode, verificationCode: otherCode(code) };
    const refused = await client.post(REDEEM, wrong);
    expect(refused.body.statusCode).toBe(4035);
    expectReplay(await client.post(REDEEM, wrong), refused);
    const right = { voucherCode, verificationCode: code };
    const redeemed = done(await client.post(REDEEM, right));
    expectReplay(await client.post(REDEEM, right), redeemed);
    expectRefusal(await client.post(REDEEM, wrong), 'merchant', 422, { reason: 'key-reused' });
  });

  test.each(removedCauses.map((one) => [one.surface, one.operation, one.reason, one] as const))(
    'of the %s API (%s: %s) is not kept: its request is carried out, once',
    async (...row) => {
      const { surface, reason, statusCode, arrange } = row[3];
      const { client, path, body, removeCause } = await arrange(scene);
      const asKeyed = keyed(client);
      const send = () => asKeyed.post(path, body);
      for (const refused of [await send(), await send()]) {
        expectRefusal(refused, surface, statusCode, { reason });
        expect(wasReplayed(refused)).toBe(false);
      }
      await removeCause();
      const both = await Promise.all([send(), send()]);
      const [first] = both.map(done);
      expect(both.map(wasReplayed).toSorted()).toEqual([false, true]);
      for (const answer of [...both, await send()]) expect(answer.body).toEqual(first?.body);
    },
  );

  test('of the payment is final for its key; another key may try again', async () => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix: '006' });
    const own = await merchantClient(scene.stack, merchant);
    const client = keyed(own);
    const { voucherCode } = await scene.gift({ merchant, owner: null });
    const refused = await client.post(REDEEM, { voucherCode });
    expect(refused.body.statusCode).toBe(5031);
    await scene.stack.database
      .updateTable('merchant_payout_accounts')
      .set({ party_value: merchant.payoutNumber.replace(/6$/, '0') })
      .where('merchant_id', '=', merchant.id)
      .execute();
    expectReplay(await client.post(REDEEM, { voucherCode }), refused);
    const other = await client.post(REDEEM, { voucherCode, amount: 40 });
    expectRefusal(other, 'merchant', 422, { reason: 'key-reused' });
    done(await own.post(REDEEM, { voucherCode }));
  });

  test('of the SMS asks for the same request again, and so is not remembered', async () => {
    const client = keyed(scene.asMerchant);
    const gift = await scene.gift({ owner: newOwner('006') });
    const { voucherCode } = gift;
    const refused = await client.post(CLAIM, { voucherCode });
    expect(refused.body.statusCode).toBe(5003);
    expect((await client.post(CLAIM, { voucherCode })).body.statusCode).toBe(5003);
    await scene.stack.database
      .updateTable('vouchers')
      .set({ owner_msisdn: scene.stack.api.services.numbers.store(newOwner()) })
      .where('id', '=', gift.id)
      .execute();
    const made = await client.post(CLAIM, { voucherCode });
    done(made);
    expectReplay(await client.post(CLAIM, { voucherCode }), made);
  });

  test('for a redemption in progress asks for the same request again, and so is not remembered', async () => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix: '014' });
    const asPayee = await merchantClient(scene.stack, merchant);
    const { voucherCode } = await scene.gift({ owner: null, isRestricted: false });
    const waiting = asPayee.post(REDEEM, { voucherCode, amount: 40 });
    await scene.untilPaidTo(merchant);
    const client = keyed(scene.asPartner);
    const { body } = await client.post(REDEEM, { voucherCode, amount: 50 });
    expect(body.statusCode).toBe(409);
    expect(body.message).toContain('repeat the same request');
    await scene.settlePayout(merchant, 'failed');
    expect((await waiting).body.statusCode).toBe(5031);
    done(await client.post(REDEEM, { voucherCode, amount: 50 }));
  });

  test('of an invalid request is not remembered', async () => {
    const client = keyed(scene.asPartner);
    const { voucherCode } = await scene.gift({ owner: null });
    expect((await client.post(REDEEM, { voucherCode, amount: -1 })).body.statusCode).toBe(400);
    expect(wasReplayed(done(await client.post(REDEEM, { voucherCode, amount: 1 })))).toBe(false);
  });
});

describe('spellings of one request', () => {
  const spellings = (code: string) => [
    code.toLowerCase(),
    code.replaceAll('-', ''),
    code.replaceAll('-', ' ').toLowerCase(),
    ` ${code.replaceAll('-', ' – ')} `,
    code.replaceAll('0', 'o').replaceAll('1', 'l'),
  ];

  test('of the voucher code', async () => {
    const client = keyed(scene.asPartner);
    const gift = await scene.gift();
    const verificationCode = await scene.claimed(scene.asPartner, gift);
    const first = done(
      await client.post(REDEEM, { voucherCode: gift.voucherCode, verificationCode }),
    );
    for (const voucherCode of spellings(gift.voucherCode))
      expectReplay(await client.post(REDEEM, { voucherCode, verificationCode }), first);
  });

  test('of every other field', async () => {
    const client = keyed(scene.asMerchant);
    const gift = await scene.gift();
    const { voucherCode, owner } = gift;
    const code = await scene.claimed(scene.asMerchant, gift);
    const national = (owner ?? '').replace('+251', '0');
    const body = { voucherCode, verificationCode: code, msisdn: owner };
    const first = done(await client.post(REDEEM, body));
    for (const same of [
      { ...body, msisdn: national },
      { ...body, msisdn: `251 ${national.slice(1)}` },
      { ...body, verificationCode: ` ${code.slice(0, 3)} ${code.slice(3)}` },
      { msisdn: owner, verificationCode: code, voucherCode },
      { ...body, unknown: 'field' },
    ])
      expectReplay(await client.post(REDEEM, same), first);
  });

  test('of an amount', async () => {
    const client = keyed(scene.asPartner);
    const { voucherCode } = await scene.gift({ owner: null });
    const first = done(await client.post(REDEEM, { voucherCode, amount: 40 }));
    for (const amount of ['40', '40.0', '40.00', 40.0])
      expectReplay(await client.post(REDEEM, { voucherCode, amount }), first);
  });

  test('of the key of a merchant', async () => {
    const { voucherCode } = await scene.gift({ owner: null });
    const [key, body] = [`order ${randomUUID()}`, { voucherCode, amount: 40 }];
    const first = done(await keyed(scene.asMerchant, key).post(REDEEM, body));
    for (const same of [` ${key}\n`, `\u202a${key}\u202c`, key.replaceAll('-', '\u2011')])
      expectReplay(await scene.asMerchant.post(REDEEM, { ...body, idempotencyKey: same }), first);
  });

  test('of a generation', async () => {
    const client = keyed(scene.asPartner);
    const body = generation();
    const first = done(await client.post(GENERATE, body));
    for (const same of [
      { ...body, denominationId: String(body.denominationId) },
      { ...body, msisdn: body.msisdn.replace('+251', '0') },
      { ...body, isRestricted: true },
    ])
      expectReplay(await client.post(GENERATE, same), first);
  });
});

describe('the header Idempotency-Key of a partner', () => {
  test.each([
    ['blank', ' '],
    ['too long', 'k'.repeat(201)],
    ['not printable', 'key\u00e9'],
  ])('is refused when it is %s', async (_what, key) => {
    const before = await scene.holdings();
    const answer = await keyed(scene.asPartner, key).post(GENERATE, generation());
    expectRefusal(answer, 'partner', 400, { reason: 'request-invalid', says: 'Idempotency-Key' });
    expect(await scene.holdings()).toEqual(before);
  });

  test('may be as long as 200 characters and hold any printable one', async () => {
    const key = `${'k'.repeat(190)} "/\\:;,.~'`;
    const body = generation();
    const client = keyed(scene.asPartner, key);
    const first = done(await client.post(GENERATE, body));
    expectReplay(await client.post(GENERATE, body), first);
  });
});
