import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { MerchantClient } from '../../clients/typescript/src/index.ts';
import { newestCode, partnerClient } from '../support/clients.ts';
import { deposit, makeMerchant } from '../support/companies.ts';
import { idOf, setTopupScene, type TopupScene } from './topups/topup-scene.ts';

/** PostgreSQL would plan a statement that is not prepared each time, which takes longer than it does. */
let scene: TopupScene;

beforeAll(async () => {
  scene = await setTopupScene();
});
afterAll(() => scene?.stack.stop());

/** The statements with values that a piece of work sends and does not prepare. */
async function plannedBy(work: () => Promise<unknown>): Promise<unknown[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const sent: readonly (readonly unknown[])[] = query.mock.calls;
    // Prepared ones are objects with a name.
    expect(sent.some(([statement]) => typeof statement === 'object')).toBe(true);
    return sent
      .filter(([, values]) => Array.isArray(values) && values.length > 0)
      .map(([text]) => text);
  } finally {
    query.mockRestore();
  }
}

/** Makes the companies of a voucher; returns what lives it once. */
async function setLife(): Promise<() => Promise<void>> {
  const { stack, partner } = scene;
  const asPartner = await partnerClient(stack, partner);
  await deposit(stack, partner.id, '10000');
  const { id: merchantId, privateKey, ...merchant } = await makeMerchant(stack);
  const asMerchant = new MerchantClient({
    baseUrl: `${stack.url}/api/v1/merchant/client`,
    apiKey: merchant.apiKey,
    privateKey,
  });
  return async () => {
    const { body } = await asPartner.post('/topup-transactions/generate-voucher', {
      denominationId: partner.denominations[500],
      merchantId,
      msisdn: '+251911234568',
    });
    const { voucherCode } = body.data.voucher;
    await asMerchant.vouchers.initiateClaim({ voucherCode });
    const verificationCode = await newestCode(stack, '+251911234568');
    await asMerchant.vouchers.redeem({ voucherCode, verificationCode });
  };
}

test('the life of a voucher', async () => {
  expect(await plannedBy(await setLife())).toEqual([]);
});

test('a top-up that is delivered, and one that fails and is retried', async () => {
  const { topup, retry, number } = scene;
  const planned = await plannedBy(async () => {
    await topup(number('000'));
    await retry(idOf(await topup(number('002'))), number('000'));
  });
  expect(planned).toEqual([]);
});

test('statements that are repeated keep one plan for all values', async () => {
  const { topup, number } = scene;
  const live = await setLife();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  for (let time = 0; time < 12; time += 1) {
    await live();
    await topup(number('000'));
  }
  const clients = new Set(query.mock.contexts as pg.Client[]);
  query.mockRestore();
  const planned = await Promise.all(
    [...clients].map((client) =>
      client.query<{ statement: string }>(
        'select statement from pg_prepared_statements where custom_plans > 5',
      ),
    ),
  );
  expect(planned.flatMap(({ rows }) => rows)).toEqual([]);
});
