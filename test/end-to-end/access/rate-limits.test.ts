import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../../src/api.ts';
import type { Environment } from '../../../src/config/config.ts';
import { randomApiKey } from '../../../src/crypto/random.ts';
import { voucherCodeFromRandom } from '../../../src/domain/vouchers/voucher.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { type Answer, call, merchantClient, partnerClient } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { CLAIM, type GiftScene, REDEEM, setGiftScene } from '../gift/gift-scene.ts';

/** Floods and guesses are answered 429, and nobody else is the worse for them. */
let scene: GiftScene;

/** A scene for the tests of a block, in which each has companies of its own. */
function begin(settings: Environment): void {
  beforeAll(async () => {
    scene = await setGiftScene(settings);
  });
  afterAll(() => scene?.stop());
}

const login = (key: string) =>
  call(`${scene.stack.url}/api/v1/client/auth/login`, { body: { key } });

const tooMany = {
  reason: 'too-many-requests',
  headers: { 'Retry-After': /^[1-9]\d{0,3}$/ },
} as const;

const codeWithoutVoucher = () => voucherCodeFromRandom(randomBytes(14));

const statuses = async (count: number, send: () => Promise<Answer>) => {
  const answers: number[] = [];
  for (let index = 0; index < count; index += 1) answers.push((await send()).status);
  return answers;
};

/**
 * Misses at every endpoint that takes a code end after four; `accomplice` is then the answer to a company that has
 * guessed at the same address.
 */
async function expectMissesToEnd(accomplice: number): Promise<void> {
  const { stack } = scene;
  const { voucherCode } = await scene.gift();
  const guesser = await merchantClient(stack, await makeMerchant(stack));
  const detail = (code: string) => guesser.get(`/topup-transactions/${code}`);
  expectRefusal(await detail('mistyped'), 'merchant', 4041, { reason: 'voucher-not-found' });
  expectRefusal(await detail(codeWithoutVoucher()), 'merchant', 4041, {
    reason: 'voucher-not-found',
  });
  expect((await detail(voucherCode)).body.statusCode).toBe(4041);
  const body = { voucherCode, verificationCode: '000000' };
  expect((await guesser.post(CLAIM, { voucherCode })).body.statusCode).toBe(4041);
  expect((await guesser.post(REDEEM, body)).body.statusCode).toBe(4031);
  expectRefusal(await detail(codeWithoutVoucher()), 'merchant', 429, tooMany);
  expectRefusal(await guesser.post(CLAIM, { voucherCode }), 'merchant', 429, tooMany);
  expectRefusal(await guesser.post(REDEEM, body), 'merchant', 429, tooMany);
  // A company that has guessed nothing is none the worse for sharing an address with who has;
  // once it guesses too, the address ends for it.
  const own = () => scene.asMerchant.get(`/topup-transactions/${voucherCode}`);
  expect((await own()).status).toBe(200);
  const miss = await scene.asMerchant.get(`/topup-transactions/${codeWithoutVoucher()}`);
  expect(miss.body.statusCode).toBe(4041);
  expect((await own()).status).toBe(accomplice);
}

describe.each(['memory', 'postgres'])('by companies, counted in %s,', (store) => {
  begin({
    RATE_LIMIT_STORE: store,
    VOUCHER_MISSES_PER_COMPANY_AND_HOUR: '4',
    KEY_MISSES_PER_ADDRESS_AND_HOUR: '5',
  });

  test('misses of voucher codes end at every endpoint that takes a code', () =>
    expectMissesToEnd(200));

  test('voucher codes that are not there are no more at the same moment, and hits wait for their turn', async () => {
    const { voucherCode } = await scene.gift();
    const own = () => scene.asMerchant.get(`/topup-transactions/${voucherCode}`);
    const hits = await Promise.all(Array.from({ length: 30 }, own));
    expect(hits.map(({ status }) => status)).toEqual(Array(30).fill(200));

    const { stack } = scene;
    const guesser = await merchantClient(stack, await makeMerchant(stack));
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? guesser.get(`/topup-transactions/${codeWithoutVoucher()}`)
          : guesser.post(CLAIM, { voucherCode: codeWithoutVoucher() }),
      ),
    );
    const answers = guesses.map(({ body }) => body.statusCode);
    expect(answers.filter((code) => code === 4041)).toHaveLength(4);
    expect(answers.filter((code) => code === 429)).toHaveLength(36);
  });

  test('voucher codes of others are counted for partners too, and the refusal is not remembered', async () => {
    const { stack } = scene;
    const partner = await makePartner(stack);
    const client = await partnerClient(stack, partner);
    const foreign = await scene.gift();
    const claim = () => client.post(CLAIM, { voucherCode: foreign.voucherCode });
    expect(await statuses(5, claim)).toEqual([404, 404, 404, 404, 429]);
    const mine = await scene.gift({ partner });
    const key = { 'Idempotency-Key': randomUUID() };
    const claimMine = () => client.post(CLAIM, { voucherCode: mine.voucherCode }, key);
    expectRefusal(await claimMine(), 'partner', 429, tooMany);
    const operations = await stack.database
      .selectFrom('operations')
      .select('id')
      .where('company_kind', '=', 'partner')
      .where('company_id', '=', partner.id)
      .where('kind', '=', 'initiate-claim')
      .execute();
    expect(operations).toEqual([]);
  });

  test('wrong keys end for an address, are told when to go on, and lock out no right one behind it', async () => {
    const wrong = () => login(randomApiKey('test').key);
    expect(await statuses(6, wrong)).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await login(scene.partner.apiKey)).status).toBe(200);
    expectRefusal(await wrong(), 'partner', 429, tooMany);
    expectRefusal(await login('of no environment'), 'partner', 429, tooMany);
    expect((await scene.asPartner.get('/test')).status).toBe(200);
  });
});

describe.each(['memory', 'postgres'])('by addresses, counted in %s,', (store) => {
  begin({
    RATE_LIMIT_STORE: store,
    CALLS_PER_COMPANY_AND_MINUTE: '20',
    VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: '4',
    KEY_MISSES_PER_PREFIX_AND_HOUR: '3',
    TRUSTED_PROXIES: '127.0.0.1',
  });

  test('misses of voucher codes end for all who guess there', () => expectMissesToEnd(429));

  test('the calls of one company end, those of another go on, and each answer says what is left', async () => {
    const client = await partnerClient(scene.stack, await makePartner(scene.stack));
    const first = await client.get('/test');
    expect(first.headers.get('ratelimit-policy')).toBe('"company";q=20;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"company";r=18;t=\d{1,2}$/);
    expect(await statuses(19, () => client.get('/test'))).toEqual([...Array(18).fill(200), 429]);
    const refused = await client.get('/test');
    expectRefusal(refused, 'partner', 429, tooMany);
    expect(refused.headers.get('ratelimit')).toMatch(/^"company";r=0;t=\d{1,2}$/);
    const other = await partnerClient(scene.stack, await makePartner(scene.stack));
    expect((await other.get('/test')).status).toBe(200);
  });

  test('a key that leaked does not use up the calls of its company from a foreign address', async () => {
    const partner = await makePartner(scene.stack);
    const from = (address: string) => () =>
      call(`${scene.stack.url}/api/v1/client/auth/login`, {
        body: { key: partner.apiKey },
        headers: { 'X-Forwarded-For': address },
      });
    expect(await statuses(8, from('203.0.113.9'))).toEqual(Array(8).fill(403));
    expect(await statuses(21, from('127.0.0.1'))).toEqual([...Array(20).fill(200), 429]);
  });

  test('wrong keys with a beginning end, and never lock out the right key with it', async () => {
    const { apiKey } = scene.partner;
    const wrong = () => login(apiKey.slice(0, 13) + randomApiKey('test').key.slice(13));
    expect(await statuses(5, wrong)).toEqual([401, 401, 401, 429, 429]);
    expect((await login(apiKey)).status).toBe(200);
  });
});

describe('counted in PostgreSQL', () => {
  begin({ RATE_LIMIT_STORE: 'postgres', CALLS_PER_COMPANY_AND_MINUTE: '10' });

  test('the calls of a company at two APIs count together', async () => {
    const { config, temporal, urlFor } = scene.stack;
    const database = { ...config.database, databaseUrl: urlFor('api') };
    const second = await startApi({ ...config, database }, temporal, {
      logger: createLogger('silent', 'test'),
      eager: false,
    });
    try {
      const partner = await makePartner(scene.stack);
      const here = await partnerClient(scene.stack, partner);
      const url = `http://127.0.0.1:${second.port}`;
      const there = await partnerClient({ ...scene.stack, url }, partner);
      const inTurns = async () => [
        (await here.get('/test')).status,
        (await there.get('/test')).status,
      ];
      // Each log-in is a call too.
      for (let turn = 1; turn <= 4; turn += 1) expect(await inTurns()).toEqual([200, 200]);
      expect(await inTurns()).toEqual([429, 429]);
    } finally {
      await second.stop();
    }
  });

  test('calls are counted in memory while the database is away for it', async () => {
    const client = await partnerClient(scene.stack, await makePartner(scene.stack));
    await scene.stack.database.schema.dropTable('rate_limits').execute();
    expect(await statuses(11, () => client.get('/test'))).toEqual([...Array(10).fill(200), 429]);
  });
});

describe('of several companies', () => {
  begin({ VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: '6' });

  test('misses of voucher codes at one address are no more at the same moment', async () => {
    const { stack } = scene;
    const guessers = await Promise.all(
      Array.from({ length: 3 }, async () => merchantClient(stack, await makeMerchant(stack))),
    );
    const guesses = await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        guessers[index % 3]?.get(`/topup-transactions/${codeWithoutVoucher()}`),
      ),
    );
    // Each company may miss once without answering for the address.
    const misses = guesses.filter((answer) => answer?.body.statusCode === 4041).length;
    expect(misses).toBeGreaterThanOrEqual(6);
    expect(misses).toBeLessThanOrEqual(8);
  });
});

describe('of one address', () => {
  begin({ CALLS_PER_ADDRESS_AND_MINUTE: '30' });

  test('voucher codes that are not there, or not theirs, are answered alike, and begin no claim', async () => {
    const { stack } = scene;
    const { voucherCode } = await scene.gift();
    const merchant = await makeMerchant(stack);
    const client = await merchantClient(stack, merchant);
    const answers = [
      await client.post(CLAIM, { voucherCode }),
      await client.post(CLAIM, { voucherCode: codeWithoutVoucher() }),
    ];
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    const operations = await stack.database
      .selectFrom('operations')
      .select('id')
      .where('company_kind', '=', 'merchant')
      .where('company_id', '=', merchant.id)
      .execute();
    expect(operations).toEqual([]);
  });

  test('the calls of one address end, whoever makes them', async () => {
    const send = () => call(`${scene.stack.url}/api/v1/client/test`);
    const answers = await statuses(40, send);
    expect(answers[0]).toBe(401);
    expectRefusal(await send(), 'partner', 429, tooMany);
    expectRefusal(await login(scene.partner.apiKey), 'partner', 429, tooMany);
  });
});
