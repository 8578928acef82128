import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import { readServiceState } from '../../../src/db/overview.ts';
import { registerWebhook } from '../../../src/operations/webhooks.ts';
import { portalSite } from '../../../src/pages/portal/routes.ts';
import { supportSite } from '../../../src/pages/staff/routes.ts';
import { makeAccount, signedIn } from '../../pages/portal/portal-client.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { startRawServer } from '../../providers/raw-server.ts';
import { until } from '../../support/until.ts';
import { done, GENERATE } from '../gift/gift-scene.ts';
import type { RedemptionScene } from '../gift/redemption-scene.ts';
import { sale } from '../topups/topup-scene.ts';

/** A webhook of the partner that is answered, and one that is not. */
export async function listenByWebhooks({ stack, partner }: RedemptionScene) {
  let calls = 0;
  const server = await startRawServer((request, response) => {
    calls += 1;
    request.resume();
    response.writeHead(request.url === '/refused' ? 500 : 200).end();
  });
  for (const path of ['', '/refused'])
    await stack.database.transaction().execute((transaction) =>
      registerWebhook(
        transaction,
        {
          company: { kind: 'partner', id: partner.id },
          url: server.url + path,
          description: '',
          types: [],
          createdBy: 'test',
        },
        { secretBox: createSecretBox(stack.config.secrets.dataKeys), settings: stack.config },
      ),
    );
  return {
    called: () => until(() => expect(calls).toBeGreaterThan(3)),
    close: server.close,
  };
}

/** Orders in bulk, quotes, reversals, events, prices and every list of the APIs. */
export async function callFurtherEndpoints(scene: RedemptionScene): Promise<void> {
  const { stack, asPartner, partner, merchant } = scene;
  const gift = { denominationId: partner.denominations[100], merchantId: merchant.id };
  const msisdn = '+251911234568';
  const lines = [0, 1].map(() => ({ reference: randomUUID(), ...gift, msisdn }));
  const { id } = done(await asPartner.post('/vouchers/bulk', { lines })).body.data.bulkOrder;
  await until(async () => {
    const { body } = await asPartner.get(`/bulk-orders/${id}`);
    expect(body.data.bulkOrder.endedAt).not.toBeNull();
  });
  done(await asPartner.get(`/bulk-orders/${id}/lines?limit=1`));
  await asPartner.post(`/bulk-orders/${id}/cancel`, {});
  done(await asPartner.post('/quote', { kind: 'GIFT', ...gift, msisdn }));
  done(await asPartner.post('/quote', { kind: 'AIRTIME', amount: '50', msisdn, ...sale }));
  done(await asPartner.post(GENERATE, { ...gift, msisdn }, { 'Idempotency-Key': randomUUID() }));
  const lists = ['/merchants', '/merchant-categories', '/promos', '/product-list', '/events'];
  for (const path of [...lists, '/product-categories-list', '/test'])
    expect((await asPartner.get(path)).status, path).toBeLessThan(500);
  const { body } = done(await asPartner.get('/events?limit=1'));
  done(await asPartner.get(`/events?after=${encodeURIComponent(body.data.next)}`));
  await reverseOne(scene);
  await readServiceState(stack.database, [60]);
}

async function reverseOne(scene: RedemptionScene): Promise<void> {
  const payee = await scene.payee('merchant');
  await scene.redeemed(payee.client, await scene.gift({ merchant: payee.merchant }));
  const { get } = payee.client as unknown as typeof scene.asPartner;
  const { body } = done(await get('/redemptions'));
  done(await get('/events'));
  const idempotencyKey = randomUUID();
  await until(async () =>
    expect(
      (await payee.client.post(`/redemptions/${body.data[0].id}/reverse`, { idempotencyKey }))
        .status,
    ).toBe(200),
  );
}

/** The paths of pages that are read, with these values in place of their parameters. */
const pathsOf = (
  routes: readonly { readonly method: string; readonly path: string }[],
  values: Readonly<Record<string, readonly string[]>>,
): string[] =>
  routes
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path }) => {
      const [kind = ''] = path.split('/').filter(Boolean);
      const named = /:(\w+)/.exec(path)?.[1];
      if (named === undefined) return path;
      const given = values[named === 'id' ? kind : named] ?? ['1'];
      return given.map((value) =>
        path
          .replace(`:${named}`, value)
          .replace(/:format|:file/, 'csv')
          .replace(':wallet', 'gift'),
      );
    });

/** Searches every list of the portal, and statements, by a number, a serial number, a transaction and references. */
export async function searchEveryList({ stack, partner, merchant }: RedemptionScene) {
  const terms = ['0911000001', '012345678901234567', '17', randomUUID(), 'RDM-0123456789ABCDEF'];
  for (const [company, lists] of [
    [
      { kind: 'partner', id: partner.id },
      ['/vouchers', '/top-ups', '/bulk-orders', '/balances/gift', '/balances/airtime'],
    ],
    [{ kind: 'merchant', id: merchant.id }, ['/redemptions']],
  ] as const) {
    const person = await signedIn(stack, await makeAccount(stack, company));
    for (const list of lists)
      for (const search of terms) {
        const path = `/portal${list}`;
        const { status, location } = await person.submit(path, `${path}/find`, { search });
        expect(status).toBeLessThan(400);
        if (location !== null) expect((await person.get(location)).status).toBe(200);
      }
  }
}

/** Opens every page of the portal, for a partner and a merchant, and every page of support. */
export async function openEveryPage({ stack, partner, merchant }: RedemptionScene): Promise<void> {
  const newest = async (table: 'vouchers' | 'topups' | 'bulk_orders' | 'webhook_endpoints') => {
    const row = await stack.database
      .selectFrom(table)
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    return [String(row.id)];
  };
  const values = {
    vouchers: await newest('vouchers'),
    'top-ups': await newest('topups'),
    'bulk-orders': await newest('bulk_orders'),
    webhooks: await newest('webhook_endpoints'),
    partners: [String(partner.id)],
    merchants: [String(merchant.id)],
    wallet: ['gift', 'airtime', 'reserved'],
    month: [new Date().toISOString().slice(0, 7)],
  };
  for (const company of [
    { kind: 'partner', id: partner.id },
    { kind: 'merchant', id: merchant.id },
  ] as const) {
    const person = await signedIn(stack, await makeAccount(stack, company));
    const own = portalSite.pages.filter((page) => !('kind' in page) || page.kind === company.kind);
    for (const path of pathsOf(own, values))
      expect((await person.get(`/portal${path}`)).status, path).toBeLessThan(500);
  }
  const { client } = await staffClient(stack, 'OPERATOR');
  for (const path of pathsOf(supportSite.pages, values))
    expect((await client.get(`/support${path}`)).status, path).toBeLessThan(500);
}
