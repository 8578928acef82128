import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Airtime, AirtimeOrder } from '../../../src/providers/airtime/airtime.ts';
import type { ProviderInquiry } from '../../../src/providers/outcome.ts';
import { suffixRows } from '../../../src/sandbox/scenarios.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { makeSpoilingWay, spoils } from '../../support/spoiling-way.ts';
import { until } from '../../support/until.ts';
import { rememberingAirtime } from '../remembering.ts';
import { airtimeAdapters } from './adapters.ts';

/** What every adapter for airtime must keep, whatever its provider does. */
let sandbox: Sandbox;
let way: Awaited<ReturnType<typeof makeSpoilingWay>>;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0 });
  way = await makeSpoilingWay();
  way.setTarget(sandbox.url);
});
afterAll(async () => {
  for (const one of [way, sandbox]) await one?.close();
});
afterEach(() => {
  sandbox.faults.clear();
  way.spoilWith(undefined);
});

type Name = keyof typeof airtimeAdapters;
const names = Object.keys(airtimeAdapters) as Name[];

const adapterOf = (name: Name, at: Sandbox, timing = {}) =>
  rememberingAirtime(airtimeAdapters[name](at, timing));

const orderFor = (msisdn: string): AirtimeOrder => ({
  reference: randomUUID(),
  msisdn,
  product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '97.50' },
});

/** For a call that lasts until its limit, but reaches the provider before. */
const IMPATIENT = { timeoutSeconds: 2 };

const longAgo = () => new Date(Date.now() - 3_600_000);
const statusesOf = ({ reference }: AirtimeOrder) =>
  sandbox.books.topups({ reference }).map(({ status }) => status);

/** The status of the books that an outcome means; none where nothing was taken. */
function expectedOf(outcome: ProviderInquiry): readonly string[][] {
  if (outcome.kind === 'delivered')
    return [[outcome.reversal === undefined ? 'completed' : 'reversed']];
  if (outcome.kind === 'refused') return [[], ['failed']];
  return outcome.kind === 'unknown' ? [['pending']] : [[]];
}

/** Sends, and asks while the outcome is open, as a workflow does. */
async function settle(airtime: Airtime, order: AirtimeOrder): Promise<ProviderInquiry> {
  const sent = await airtime.send(order);
  return sent.kind === 'unknown' ? airtime.findOrder(order, longAgo()) : sent;
}

const delays = ['0', '1'];
const suffixes = suffixRows.flatMap(({ suffix }) => delays.map((digit) => digit + suffix));

describe.each(names)('%s', (name) => {
  it.each([...suffixes, '567'])(
    'agrees with the books about a number that ends in %s',
    async (suffix) => {
      const airtime = adapterOf(name, sandbox);
      const order = orderFor(`+251911000${suffix}`);
      expect(await airtime.findOrder(order, longAgo())).toEqual({ kind: 'never-seen' });
      // The second time, "shortly after" is over.
      await settle(airtime, order);
      const outcome = await settle(airtime, order);
      expect(expectedOf(outcome)).toContainEqual(statusesOf(order));
      expect(statusesOf(order).length).toBeLessThanOrEqual(1);
      const found = await airtime.findOrder(order, longAgo());
      const isTaken = statusesOf(order).length > 0;
      expect(found).toEqual(isTaken ? outcome : { kind: 'never-seen' });
    },
  );

  it('tells a top-up whose number was erased by its reference', async () => {
    const airtime = adapterOf(name, sandbox);
    const order = orderFor('+251911000000');
    const outcome = await settle(airtime, order);
    expect(outcome.kind).toBe('delivered');
    expect(await airtime.findOrder({ ...order, msisdn: 'erased' }, longAgo())).toEqual(outcome);
  });

  it('tells a top-up of another number or amount under its reference', async () => {
    const airtime = adapterOf(name, sandbox);
    const order = orderFor('+251911000000');
    await airtime.send(order);
    const others: AirtimeOrder[] = [
      { ...order, msisdn: '+251911000100' },
      { ...order, product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '9.75' } },
    ];
    for (const other of others) {
      expect(await airtime.findOrder(other, longAgo())).toMatchObject({ disagrees: true });
      expect(await airtime.send(other)).toMatchObject({ kind: 'unknown', disagrees: true });
    }
    expect(statusesOf(order)).toEqual(['completed']);
  });

  it.each([
    [{ dropsAnswers: true }, 'unknown', ['completed']],
    [{ answers: 'garbage' }, 'unknown', ['completed']],
    [{ answers: 'other-types' }, 'unknown', ['completed']],
    [{ answers: 'empty' }, 'unknown', ['completed']],
    [{ answers: 'redirect' }, 'unknown', ['completed']],
    [{ answers: 'html' }, 'unknown', ['completed']],
    [{ answers: 'huge' }, 'unknown', ['completed']],
    [{ answers: 'unavailable' }, 'unknown', []],
    [{ answers: 'not-authorised' }, 'not-sent', []],
    [{ answers: 'too-many-requests' }, 'not-sent', []],
    [{ down: true }, 'unknown', []],
  ] as const)(
    'holds its outcome while the provider has the fault %j (F20, F21, F23)',
    async (fault, kind, statuses) => {
      const airtime = adapterOf(name, sandbox);
      // With a token, so that the fault meets the order.
      await airtime.findOrder(orderFor('+251911000000'));
      sandbox.faults.set(name, { ...sandbox.faults.of(name), ...fault });
      const order = orderFor('+251911234567');
      expect(await airtime.send(order)).toMatchObject({ kind });
      expect(statusesOf(order)).toEqual(statuses);
      // A broken inquiry proves nothing.
      expect(await airtime.findOrder(order, longAgo())).toMatchObject({ kind: 'unknown' });
      sandbox.faults.clear();
      const found = await airtime.findOrder(order, longAgo());
      expect(found.kind).toBe(statuses.length > 0 ? 'delivered' : 'never-seen');
      // Never received, so it is sent again; received, so it is not made twice.
      expect(await settle(airtime, order)).toMatchObject({ kind: 'delivered' });
      expect(statusesOf(order)).toEqual(['completed']);
    },
  );

  it('sees a late success after a refusal, and a reversal after a success (F25)', async () => {
    const airtime = adapterOf(name, sandbox);
    const order = orderFor('+251911000006');
    await airtime.send(order);
    expect(await airtime.findOrder(order, longAgo())).toMatchObject({ kind: 'refused' });
    for (const status of ['completed', 'reversed'])
      await fetch(`${sandbox.url}/books/topups/${order.reference}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ status }),
      }).then(async () => {
        const found = await airtime.findOrder(order, longAgo());
        expect(expectedOf(found)).toEqual([[status]]);
      });
  });

  it('reports a refusal with words and without the number (F22)', async () => {
    const outcome = await settle(adapterOf(name, sandbox), orderFor('+251911000002'));
    expect(outcome).toMatchObject({ kind: 'refused', retryCanHelp: false });
    expect(JSON.stringify(outcome)).not.toContain('911000002');
  });
});

/** Every adapter, with an order whose answers can be spoilt. It has a token, so that this meets the order. */
const spoilt = (what: string, msisdn: string) =>
  Promise.all(
    names.map(async (name) => {
      const overWay = (url: string) => url.replace(sandbox.url, way.url);
      const airtime = adapterOf(
        name,
        {
          ...sandbox,
          airtimeUrl: overWay(sandbox.airtimeUrl),
          reloadlyUrl: overWay(sandbox.reloadlyUrl),
        },
        what === 'a slow drip' ? IMPATIENT : {},
      );
      await airtime.findOrder(orderFor('+251911000000'));
      return { name, airtime, order: orderFor(msisdn) };
    }),
  );

/** At the same time, because some calls last until their limit. */
describe('every adapter', () => {
  it.each(Object.entries(spoils))(
    'F20, F23: it was delivered, and the answer is %s',
    async (what, spoil) => {
      const adapters = await spoilt(what, '+251911000000');
      way.spoilWith(spoil);
      await Promise.all(
        adapters.map(async ({ name, airtime, order }) =>
          // Delivered where the adapter itself has asked: inquiries are not spoilt.
          expect(['unknown', 'delivered'], name).toContain((await airtime.send(order)).kind),
        ),
      );
      way.spoilWith(undefined);
      for (const { name, airtime, order } of adapters) {
        expect((await airtime.findOrder(order, longAgo())).kind, name).toBe('delivered');
        expect(statusesOf(order), name).toEqual(['completed']);
      }
    },
  );

  it.each(Object.entries(spoils))(
    'F23: an inquiry whose answer is %s proves nothing',
    async (what, spoil) => {
      const adapters = await spoilt(what, '+251911000014');
      for (const { airtime, order } of adapters) await airtime.send(order);
      way.spoilWith(spoil, { inquiries: true });
      await Promise.all(
        adapters.map(async ({ name, airtime, order }) =>
          expect((await airtime.findOrder(order, longAgo())).kind, name).toBe('unknown'),
        ),
      );
    },
  );

  it('ends a call to a hung provider at its deadline, and the order arrives once (F24)', () =>
    Promise.all(
      names.map(async (name) => {
        const airtime = adapterOf(name, sandbox, IMPATIENT);
        await airtime.findOrder(orderFor('+251911000000'));
        const usual = sandbox.faults.of(name);
        sandbox.faults.set(name, { ...usual, slowSeconds: 3 });
        const order = orderFor('+251911234567');
        // Its answer would say more.
        expect((await airtime.send(order)).kind, name).toBe('unknown');
        sandbox.faults.set(name, usual);
        await until(() => expect(statusesOf(order), name).toEqual(['completed']));
        expect((await airtime.findOrder(order, longAgo())).kind, name).toBe('delivered');
      }),
    ));
});
