import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ApiError,
  MerchantClient,
  NoAnswerError,
  OpenRequestError,
  type PartnerClient,
} from '../../clients/typescript/src/index.ts';
import { signatureHeader } from '../../clients/typescript/src/signature.ts';
import { codeBlocks, guide } from '../docs/guides.ts';
import { newestCode } from '../support/clients.ts';
import { until } from '../support/until.ts';
import {
  type ClientScene,
  distinct,
  HTML,
  NO_ENVELOPE,
  OWNER,
  SALE,
  startClientScene,
} from './client-scene.ts';
import { type Fault, refusal } from './fault-proxy.ts';
import { missingOperations } from './missing-operations.ts';

let scene: ClientScene;
let partner: PartnerClient;

beforeAll(async () => {
  scene = await startClientScene();
  partner = scene.partnerClient();
});
afterAll(() => scene?.stop());

const airtime = (msisdn = OWNER) => ({ amount: 5, msisdn, ...SALE });

/** What a call fails with. */
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable('The call succeeded'),
    (error: unknown) => error,
  );

describe('a request without a known result', () => {
  test.each<readonly [string, readonly Fault[]]>([
    ['the connection breaks after it', ['cut', 'cut']],
    ['a proxy answers with a page', [HTML]],
    ['the service is not available', [refusal(503), refusal(500)]],
    ['it arrives too slowly', ['cut', refusal(408)]],
  ])('is repeated with its key and bytes, and money moves once: %s', async (_case, faults) => {
    const before = (await partner.readBalances()).walletBalance;
    scene.proxy.spoil('/airtime-topup', ...faults);
    const requests = await scene.requestsDuring('/airtime-topup', async () => {
      expect(await partner.topUps.sendAirtime(airtime())).toMatchObject({ status: 'SUCCESS' });
    });
    expect(requests).toHaveLength(faults.length + 1);
    expect(distinct(requests.map(({ headers }) => headers['idempotency-key']))).toBe(1);
    expect(distinct(requests.map(({ body }) => body))).toBe(1);
    expect(before - (await partner.readBalances()).walletBalance).toBe(5);
  });

  test('is repeated when its time is over', async () => {
    const client = scene.partnerClient({ timeoutSeconds: 3 });
    scene.proxy.spoil('/generate-voucher', 'silence');
    const before = (await client.readBalances()).eMoneyWalletBalance;
    await client.vouchers.generate({
      denominationId: scene.partner.denominations[100],
      merchantId: scene.merchant.id,
      msisdn: null,
    });
    expect(before - (await client.readBalances()).eMoneyWalletBalance).toBe(100);
  });

  test('of a merchant is signed again over the same bytes, and pays once', async () => {
    const voucherCode = await scene.newVoucher();
    const merchant = scene.merchantClient();
    scene.proxy.spoil('/initiate-claim', 'cut');
    await merchant.vouchers.initiateClaim({ voucherCode });
    const verificationCode = await newestCode(scene.stack, OWNER);
    scene.proxy.spoil('/redeem-gift', 'cut', refusal(4092), refusal(5004));
    const requests = await scene.requestsDuring('/redeem-gift', async () => {
      const key = randomUUID();
      const result = await merchant.vouchers.redeem(
        { voucherCode, verificationCode, metadata: '{"name":"ቡና"}' },
        { idempotencyKey: key },
      );
      expect(result).toMatchObject({ idempotencyKey: key, metadata: '{"name":"ቡና"}' });
    });
    expect(requests).toHaveLength(4);
    expect(distinct(requests.map(({ body }) => body))).toBe(1);
    const { voucher } = await merchant.vouchers.read(voucherCode);
    expect(voucher).toMatchObject({ status: 'REDEEMED', remainingBalance: '0.000000' });
  });

  test('of a merchant is repeated by the loop of the guide, and pays once', async () => {
    const voucherCode = await scene.newVoucher(null);
    const merchant = scene.merchantClient();
    let token = 'of yesterday';
    const given = {
      signed: (path: string, fields: object) => {
        const body = JSON.stringify(fields);
        const headers = {
          'Content-Type': 'application/json',
          'x-api-token': token,
          'x-signature': signatureHeader(scene.merchant.privateKey, body),
        };
        return fetch(`${scene.proxy.url}/api/v1/merchant/client${path}`, {
          method: 'POST',
          headers,
          body,
        });
      },
      logIn: async () => {
        token = await merchant.accessToken();
      },
      sleep: async () => {},
    };
    const [loop = ''] = codeBlocks(guide('repeat-safely.md'), 'js');
    const code = loop.replace(/^import .*$/m, '').replace('export async', 'async');
    const send = new Function(...Object.keys(given), `${code}\nreturn send;`)(
      ...Object.values(given),
    );
    // The first request is refused for its token.
    const faults: Fault[] = ['pass', HTML, 'cut', refusal(408), refusal(5005), NO_ENVELOPE];
    scene.proxy.spoil('/redeem-gift', ...faults);
    const redemption = { voucherCode, idempotencyKey: randomUUID() };
    const result = await send('/topup-transactions/redeem-gift', redemption);
    expect(result).toMatchObject({ success: true, data: { referenceNumber: expect.any(String) } });
    const { voucher } = await merchant.vouchers.read(voucherCode);
    expect(voucher).toMatchObject({ status: 'REDEEMED', remainingBalance: '0.000000' });
  });

  test('stays open where it has no result in the end; the same key gets the result', async () => {
    const client = scene.partnerClient({ attempts: 2 });
    const before = (await client.readBalances()).walletBalance;
    scene.proxy.spoil('/airtime-topup', 'cut', 'cut');
    const error = await failureOf(client.topUps.sendAirtime(airtime()));
    expect(error).toBeInstanceOf(OpenRequestError);
    const { idempotencyKey, cause } = error as OpenRequestError;
    expect(cause).toBeInstanceOf(NoAnswerError);
    await client.topUps.sendAirtime(airtime(), { idempotencyKey });
    expect(before - (await client.readBalances()).walletBalance).toBe(5);
  });

  test.each([
    ['a refused access', () => scene.proxy.spoil('/airtime-topup', 'cut', refusal(403))],
    [
      'a refused log-in',
      () => {
        scene.proxy.spoil('/airtime-topup', 'cut', refusal(401));
        scene.proxy.spoil('/auth/login', refusal(403));
      },
    ],
  ])('stays open after %s, which says nothing of it', async (_case, spoil) => {
    const client = scene.partnerClient();
    await client.accessToken();
    spoil();
    const error = await failureOf(client.topUps.sendAirtime(airtime()));
    expect(error).toBeInstanceOf(OpenRequestError);
    expect(error).toMatchObject({ cause: { statusCode: 403 } });
  });
});

describe('a pause', () => {
  test('is as long as Retry-After says', async () => {
    scene.proxy.spoil('/merchants', refusal(429, { 'Retry-After': '1' }));
    const [first, second] = await scene.requestsDuring('/merchants', () =>
      partner.merchants.list().firstPage(),
    );
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('is not begun where the time of the call does not suffice', async () => {
    scene.proxy.spoil('/generate-voucher', refusal(429, { 'Retry-After': '3600' }));
    const order = { denominationId: 1, merchantId: 1, msisdn: null };
    const error = await failureOf(partner.vouchers.generate(order));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ statusCode: 429, retryAfterSeconds: 3_600 });
  });

  test('ends when the caller aborts', async () => {
    const controller = new AbortController();
    const path = '/get-current-balance';
    const before = scene.proxy.requestsTo(path).length;
    scene.proxy.spoil(path, refusal(503, { 'Retry-After': '60' }));
    const call = failureOf(partner.readBalances({ signal: controller.signal }));
    await expect.poll(() => scene.proxy.requestsTo(path).length).toBe(before + 1);
    controller.abort(new Error('Not needed any more'));
    expect(await call).toMatchObject({ message: 'Not needed any more' });
  });
});

describe('a refusal', () => {
  test.each([
    ['a wrong field', 400, 'request-invalid', { amount: -1 }],
    ['a failed top-up', 424, 'topup-failed', { msisdn: '+251911000006' }],
  ])('is not repeated: %s', async (_case, statusCode, reason, change) => {
    const requests = await scene.requestsDuring('/airtime-topup', async () => {
      const error = await failureOf(partner.topUps.sendAirtime({ ...airtime(), ...change }));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({
        statusCode,
        reason,
        operation: 'POST /topup-transactions/airtime-topup',
        requestId: expect.stringMatching(/^[\w-]{36}$/),
        helpUrl: expect.stringMatching(new RegExp(`#partner-${statusCode}-${reason}$`)),
      });
      const { issues, failedTopUp } = error as ApiError;
      expect(issues.map(({ path }) => path)).toEqual(statusCode === 400 ? ['amount'] : []);
      expect(failedTopUp !== undefined).toBe(statusCode === 424);
    });
    expect(requests).toHaveLength(1);
  });

  test.each([4041, 4035, 4045, 4091, 4096, 422, 5031])('%i is final', async (statusCode) => {
    scene.proxy.spoil('/redeem-gift', refusal(statusCode));
    const requests = await scene.requestsDuring('/redeem-gift', async () => {
      const call = scene.merchantClient().vouchers.redeem({ voucherCode: '0000-0000-0000-0001' });
      expect(await failureOf(call)).toMatchObject({ name: 'ApiError', statusCode });
    });
    expect(requests).toHaveLength(1);
  });

  test('409 of a retry is final, of a redemption "still processing"', async () => {
    scene.proxy.spoil('/retry-topup', refusal(409));
    const retried = await scene.requestsDuring('/retry-topup', () =>
      failureOf(partner.topUps.retry({ transactionId: 1 })),
    );
    expect(retried).toHaveLength(1);
    scene.proxy.spoil('/redeem-gift', refusal(409));
    const voucherCode = await scene.newVoucher(null);
    const redeemed = await scene.requestsDuring('/redeem-gift', () =>
      partner.vouchers.redeem({ voucherCode }),
    );
    expect(redeemed).toHaveLength(2);
  });

  test('that lasts is the error, where nothing was carried out', async () => {
    const client = scene.partnerClient({ attempts: 2 });
    scene.proxy.spoil('/airtime-topup', refusal(429), refusal(429));
    const error = await failureOf(client.topUps.sendAirtime(airtime()));
    expect(error).toMatchObject({ name: 'ApiError', statusCode: 429 });
  });

  test('a key that cannot be sent is refused before anything is sent', async () => {
    const requests = await scene.requestsDuring('/airtime-topup', async () => {
      const call = partner.topUps.sendAirtime(airtime(), { idempotencyKey: 'a\nb' });
      expect(await failureOf(call)).toBeInstanceOf(TypeError);
    });
    expect(requests).toEqual([]);
  });
});

describe('the access token', () => {
  test('is got once, for calls at the same moment', async () => {
    const client = scene.partnerClient();
    const logIns = await scene.requestsDuring('/auth/login', () =>
      Promise.all([client.checkAccess(), client.readBalances(), client.checkAccess()]),
    );
    expect(logIns).toHaveLength(1);
  });

  test('is renewed once where the service refuses it', async () => {
    const client = scene.partnerClient();
    await client.accessToken();
    scene.proxy.spoil('/airtime-topup', refusal(401));
    const sent: { readonly headers: object }[] = [];
    const logIns = await scene.requestsDuring('/auth/login', async () => {
      sent.push(
        ...(await scene.requestsDuring('/airtime-topup', () =>
          client.topUps.sendAirtime(airtime()),
        )),
      );
    });
    expect(logIns).toHaveLength(1);
    expect(sent).toHaveLength(2);

    scene.proxy.spoil('/airtime-topup', refusal(401), refusal(401));
    const again = await scene.requestsDuring('/auth/login', async () => {
      const error = await failureOf(client.topUps.sendAirtime(airtime()));
      expect(error).toMatchObject({ name: 'ApiError', statusCode: 401 });
    });
    expect(again).toHaveLength(1);
  });

  test('a wrong API key is refused at the first call, without a repetition', async () => {
    const client = scene.partnerClient({ apiKey: `gvs_test_${'0'.repeat(30)}` });
    const logIns = await scene.requestsDuring('/auth/login', async () => {
      const error = await failureOf(client.readBalances());
      expect(error).toMatchObject({ statusCode: 401, operation: 'POST /auth/login' });
    });
    expect(logIns).toHaveLength(1);
  });
});

describe('a list', () => {
  test('gives each item once, although new ones come in meanwhile', async () => {
    for (let sent = 0; sent < 4; sent += 1) await partner.topUps.sendAirtime(airtime());
    const there = (await partner.topUps.list().firstPage()).items.map((one) => one.transactionId);
    const seen: number[] = [];
    for await (const { transactionId } of partner.topUps.list({ limit: 2 })) {
      seen.push(transactionId);
      // The newest comes first: it pushes the last of this page to the next one.
      if (seen.length === 2) await partner.topUps.sendAirtime(airtime());
    }
    expect(seen).toEqual(there);
  });

  test('takes its query, and reads pages as they are needed', async () => {
    const requests = await scene.requestsDuring('/gift-denominations', async () => {
      const list = partner.denominations.list({
        limit: 1,
        sortBy: ['amountEtb:DESC'],
        'filter.status': '$eq:ACTIVE',
      });
      for await (const { status } of list) {
        expect(status).toBe('ACTIVE');
        break;
      }
      const { meta } = await list.firstPage();
      expect(meta).toMatchObject({ itemsPerPage: 1, currentPage: 1 });
    });
    expect(requests).toHaveLength(2);
  });
});

test('errors and clients show no secret', async () => {
  const merchant = scene.merchantClient({ attempts: 1 });
  const token = await merchant.accessToken();
  const voucherCode = await scene.newVoucher();
  scene.proxy.spoil(`/${voucherCode}`, 'cut', refusal(403));
  scene.proxy.spoil('/redeem-gift', 'cut');
  const shown = [
    merchant,
    partner,
    await failureOf(merchant.vouchers.read(voucherCode)),
    await failureOf(merchant.vouchers.read(voucherCode)),
    await failureOf(merchant.vouchers.redeem({ voucherCode, verificationCode: '918273' })),
  ].flatMap((one) => [
    inspect(one, { depth: 20, showHidden: true }),
    JSON.stringify(one),
    `${one}`,
  ]);
  const { apiKey, privateKey } = scene.merchant;
  const secrets = [
    ...[apiKey, scene.partner.apiKey, token, voucherCode, '918273'],
    privateKey.export({ type: 'sec1', format: 'pem' }).toString().split('\n')[1] ?? '',
  ];
  expect(secrets.filter((secret) => shown.join().includes(secret))).toEqual([]);
});

test('a redirect is not followed: nothing goes to another address', async () => {
  const elsewhere: Fault = { status: 302, headers: { Location: '/elsewhere' }, body: '' };
  scene.proxy.spoil('/get-current-balance', elsewhere);
  const error = await failureOf(scene.partnerClient({ attempts: 1 }).readBalances());
  expect(error).toBeInstanceOf(NoAnswerError);
  expect((error as Error).message).toContain('HTTP status 302');
  expect(scene.proxy.requestsTo('/elsewhere')).toEqual([]);
});

test('a signature by another key is refused after one log-in', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const merchant = new MerchantClient({
    baseUrl: `${scene.proxy.url}/api/v1/merchant/client`,
    apiKey: scene.merchant.apiKey,
    privateKey,
  });
  const requests = await scene.requestsDuring('/initiate-claim', async () => {
    const error = await failureOf(merchant.vouchers.initiateClaim({ voucherCode: '1' }));
    expect(error).toMatchObject({
      statusCode: 401,
      message: expect.stringContaining('x-signature'),
    });
  });
  expect(requests).toHaveLength(2);
});

test('a private key of another curve is refused at once', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  expect(() => new MerchantClient({ baseUrl: scene.proxy.url, apiKey: '', privateKey })).toThrow(
    'secp256k1',
  );
});

test('events are read page after page, and go on where they ended', async () => {
  const { events } = scene.partnerClient();
  const serialNumbers: string[] = [];
  let next = '';
  const readOn = async () => {
    for await (const page of events.pages({ limit: 1, ...(next ? { after: next } : {}) })) {
      // Its type tells the type of its facts.
      for (const event of page.events)
        if (event.type === 'voucher.generated') serialNumbers.push(event.data.serialNumber);
      next = page.next;
    }
  };
  await until(async () => {
    await readOn();
    expect(serialNumbers.length).toBeGreaterThan(0);
  });
  await scene.newVoucher();
  const { totalItems } = (await scene.partnerClient().vouchers.list({ limit: 1 }).firstPage()).meta;
  await until(async () => {
    await readOn();
    expect(new Set(serialNumbers).size).toBe(totalItems);
  });
  expect(serialNumbers).toHaveLength(totalItems);
  await expect(events.read({ after: 'no cursor' })).rejects.toMatchObject({ statusCode: 400 });
});

test('every operation of the documents has a method', async () => {
  const client = scene.partnerClient();
  const merchant = scene.merchantClient();
  const requests = await scene.requestsDuring('', async () => {
    await client.checkAccess();
    await client.readKey();
    await client.readBalances();
    const kinds: string[] = [];
    for await (const { transactions } of client.transactions.pages({ limit: 1, wallet: 'airtime' }))
      kinds.push(...transactions.map(({ kind }) => kind));
    expect(kinds).toContain('deposit');
    const priced = await client.quote({ kind: 'AIRTIME', ...airtime(OWNER) });
    expect(priced).toMatchObject({ accepted: true, wallet: 'airtime' });
    for (const one of Object.values(client))
      if ('list' in one) for await (const item of one.list({ limit: 1 }).pages()) expect(item);
    const { ethioPackage } = scene.products;
    const denominationId = scene.partner.denominations.unpriced;
    await client.prices.set({ denominationId, sellingPriceUsd: '7.50' });
    await client.topUps.sendPackage({ productId: ethioPackage, msisdn: OWNER, ...SALE });
    const error = await failureOf(client.topUps.sendAirtime(airtime('+251911000006')));
    const { transactionId = 0 } = (error as ApiError).failedTopUp ?? {};
    await client.topUps.retry({ transactionId, msisdn: OWNER });
    expect(await client.topUps.read(transactionId)).toMatchObject({ status: 'SUCCESS' });
    const voucherCode = await scene.newVoucher();
    await client.vouchers.initiateClaim({ voucherCode, amount: 100 });
    const [{ id = 0 } = {}] = (await client.vouchers.list({ limit: 1 }).firstPage()).items;
    expect(await client.vouchers.resendMessage(id)).toMatchObject({ kind: 'VERIFICATION_CODE' });
    const verificationCode = await newestCode(scene.stack, OWNER);
    await client.vouchers.redeem({ voucherCode, verificationCode });
    expect(await client.vouchers.read(id)).toMatchObject({ redemptions: [{ status: 'SUCCESS' }] });
    const { voucher } = await client.vouchers.generate({
      denominationId: scene.partner.denominations[100],
      merchantId: scene.merchant.id,
      msisdn: null,
    });
    expect(await client.vouchers.cancel(Number(voucher.id))).toMatchObject({ status: 'CANCELLED' });
    const line = { reference: 'a', denominationId, merchantId: 1, msisdn: OWNER };
    const { bulkOrder } = await client.vouchers.order({ lines: [line] });
    expect((await client.vouchers.readOrder(bulkOrder.id)).bulkOrder.lines).toBe(1);
    const { lines } = await client.vouchers.readOrderLines(bulkOrder.id, { limit: 1 });
    expect(lines.map(({ reference }) => reference)).toEqual(['a']);
    await client.vouchers.cancelOrder(bulkOrder.id);
    await merchant.checkAccess();
    await merchant.readKey();
    await merchant.vouchers.read(voucherCode);
    await merchant.vouchers.initiateClaim({ voucherCode });
    const code = await newestCode(scene.stack, OWNER);
    await merchant.vouchers.redeem({ voucherCode, verificationCode: code });
    for await (const { id } of merchant.redemptions.list({ limit: 1 })) {
      const reversal = await merchant.redemptions.reverse(id, { reason: 'Wrong till' });
      expect(reversal).toMatchObject({ status: 'SUCCESS', creditedTo: 'VOUCHER' });
      break;
    }
    for (const { list } of [merchant.redemptions, merchant.payouts])
      for await (const item of list({ limit: 1 })) expect(item).toBeTruthy();
    await merchant.events.read({ limit: 1 });
    await client.events.read();
  });
  expect(missingOperations(requests)).toEqual([]);
});
