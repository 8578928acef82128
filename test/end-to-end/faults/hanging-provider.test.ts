import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRoute } from '../../../src/db/providers.ts';
import type { RouteKind } from '../../../src/domain/providers.ts';
import { freePort } from '../../../src/local/processes.ts';
import { gsmaPaths } from '../../../src/sandbox/gsma/router.ts';
import { smscPassword } from '../../../src/sandbox/smpp.ts';
import { type Answer, partnerClient, type RawPartner } from '../../support/clients.ts';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { CLAIM, done, type GiftScene, newOwner, REDEEM, setGiftScene } from '../gift/gift-scene.ts';
import { createRepairDesk } from '../repairs/repair-desk.ts';
import { sale } from '../topups/topup-scene.ts';
import { type CuttableWay, makeCuttableWay } from './provider-outage.ts';

/**
 * A provider takes requests and answers none: what a route sends to the other provider of the kind
 * goes on meanwhile, whatever waits for the first (F24).
 */
const providers = ['africas-talking', 'smpp', 'gsma', 'mpesa', 'dt-one', 'reloadly'] as const;
type Provider = (typeof providers)[number];

/** The calls that hang, each at a place of the guard, and those that wait for a place. */
const PLACES = 2;
const WAITING = 4;

let scene: GiftScene;
let ways: Readonly<Record<Provider, CuttableWay>>;
/** Without a fee: M-Pesa carries whole birr. */
let merchant: TestMerchant;
/** One partner's operations go to the first provider of a kind, the other one's to the second. */
let sellers: { readonly partner: TestPartner; readonly client: RawPartner }[];

async function setScene(settings: Readonly<Record<string, string>>): Promise<void> {
  const made = providers.map(async (name) => [name, await makeCuttableWay()] as const);
  ways = Object.fromEntries(await Promise.all(made)) as Record<Provider, CuttableWay>;
  const port = await freePort();
  scene = await setGiftScene({
    PORT: String(port),
    SMS_URL: `${ways['africas-talking'].url}/africas-talking`,
    SMPP_URL: ways.smpp.url.replace('http://', `smpp://sandbox:${smscPassword}@`),
    MOBILE_MONEY_URL: `${ways.gsma.url}/gsma${gsmaPaths.api}`,
    MPESA_URL: `${ways.mpesa.url}/mpesa`,
    CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`,
    AIRTIME_URL: `${ways['dt-one'].url}/dt-one/v1`,
    RELOADLY_URL: `${ways.reloadly.url}/reloadly`,
    // What waits for a place goes on waiting, and its caller, too.
    PROVIDER_CALL_WAIT_SECONDS: '90',
    CALLER_WAIT_SECONDS: '50',
    // No call ends before a busy machine has begun them all: the breaker would open for the rest.
    PROVIDER_TIMEOUT_SECONDS: '80',
    PROVIDER_DEADLINE_SECONDS: '85',
    ...settings,
  });
  const { url, smppUrl } = scene.stack.sandbox;
  for (const name of providers) ways[name].setTarget(name === 'smpp' ? smppUrl : url);
  merchant = await makeMerchant(scene.stack, { service_fee_percent: '0' });
  sellers = await Promise.all([0, 1].map(makeSeller));
}

async function makeSeller(place: number) {
  const { stack } = scene;
  const partner = await makePartner(stack, { giftWallet: '1000000' });
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100000', 'airtime');
  await stack.database.transaction().execute(async (transaction) => {
    for (const [kind, { names }] of Object.entries(kinds))
      await addRoute(transaction, {
        kind: kind as RouteKind,
        provider: names[place] ?? '',
        position: 1,
        partner_id: partner.id,
      });
  });
  return { partner, client: await partnerClient(stack, partner) };
}

async function tearDown(): Promise<void> {
  await scene?.stop();
  for (const way of Object.values(ways ?? {})) await way.close();
}

type Prepared = () => Promise<Answer>;

/** The operations of each kind, prepared, so that only the provider is needed. */
const kinds = {
  sms: {
    names: ['africas-talking', 'smpp'],
    async prepare({ partner, client }): Promise<Prepared> {
      const { voucherCode } = await scene.gift({ partner, merchant });
      return () => client.post(CLAIM, { voucherCode });
    },
  },
  payout: {
    names: ['gsma', 'mpesa'],
    async prepare({ partner, client }): Promise<Prepared> {
      const { voucherCode } = await scene.gift({ partner, merchant, owner: null });
      return () => client.post(REDEEM, { voucherCode, amount: 40 });
    },
  },
  'topup-airtime': {
    names: ['dt-one', 'reloadly'],
    async prepare({ client }): Promise<Prepared> {
      const msisdn = newOwner('000');
      return () =>
        client.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale });
    },
  },
} satisfies Record<
  string,
  {
    readonly names: readonly [Provider, Provider];
    prepare(seller: (typeof sellers)[number]): Promise<Prepared>;
  }
>;
type Kind = keyof typeof kinds;

/** What is held or about to be sent, of any kind. */
async function underWay(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from redemptions where status = 'HELD')
      + (select count(*) from topup_attempts where status = 'HELD')
      + (select count(*) from messages where status in ('QUEUED', 'SENDING')) as count`.execute(
    scene.stack.database,
  );
  return rows[0]?.count ?? 0;
}

/** Hangs one provider of a kind with so many operations, and does three at the other meanwhile. */
async function hangOne(kind: Kind, place: 0 | 1, operations: number): Promise<void> {
  const [hanging, well] = place === 0 ? [sellers[0], sellers[1]] : [sellers[1], sellers[0]];
  if (!hanging || !well) throw new Error('There are no partners');
  const { names, prepare } = kinds[kind];
  // Both work: their sessions are there, and their breakers closed.
  for (const seller of [hanging, well])
    await until(async () => done(await (await prepare(seller))()));
  const stuck = await Promise.all(Array.from({ length: operations }, () => prepare(hanging)));
  const going = await Promise.all([1, 2, 3].map(() => prepare(well)));
  const before = await underWay();

  const way = ways[names[place]];
  way.hang();
  let answered = 0;
  const answers = stuck.map((send) =>
    send().then(() => {
      answered += 1;
    }),
  );
  await until(async () => expect(await underWay()).toBe(before + operations));
  for (const send of going) expect((await send()).status).toBe(200);
  expect(answered).toBe(0);
  way.flow();
  if (names[place] === 'mpesa') {
    await until(() => expect(answered).toBe(operations - PLACES));
    await settleHeld();
  }
  await Promise.all(answers);
}

/** M-Pesa tells nobody that it has never seen a payment: a person settles those that hung. */
async function settleHeld(): Promise<void> {
  const { database } = scene.stack;
  const desk = await createRepairDesk(scene.stack);
  const held = await database
    .selectFrom('redemptions')
    .select('id')
    .where('status', '=', 'HELD')
    .execute();
  const letter = { outcome: 'not-done', reference: 'LETTER-1' };
  for (const { id } of held) await until(() => desk.repaired('settle-payment', id, letter));
}

describe('of a kind', () => {
  beforeAll(() => setScene({ PROVIDER_CALLS: String(PLACES) }));
  afterAll(tearDown);

  test.each(
    Object.entries(kinds).flatMap(([kind, { names }]) => [
      [names[0], names[1], kind as Kind, 0] as const,
      [names[1], names[0], kind as Kind, 1] as const,
    ]),
  )('while %s hangs, %s goes on', async (_hanging, _well, kind, place) => {
    await hangOne(kind, place, PLACES + WAITING);
  });
});

describe('with more places than a worker does other things at the same time', () => {
  const places = 104;
  // No caller is answered before a busy machine has so many under way.
  beforeAll(() => setScene({ PROVIDER_CALLS: String(places), CALLER_WAIT_SECONDS: '55' }));
  afterAll(tearDown);

  test('a provider that hangs at all of them leaves some for the other', async () => {
    await hangOne('topup-airtime', 0, places);
  });
});
