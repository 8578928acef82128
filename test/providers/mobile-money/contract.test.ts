import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type MobileMoneyProviderName, takesBack } from '../../../src/domain/providers.ts';
import type { Payment } from '../../../src/providers/mobile-money/mobile-money.ts';
import type { ProviderInquiry, ProviderOutcome } from '../../../src/providers/outcome.ts';
import { suffixRows } from '../../../src/sandbox/scenarios.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { makeSpoilingWay, spoils } from '../../support/spoiling-way.ts';
import { startRawServer } from '../raw-server.ts';
import { adapterNames, paymentTo, startAdapter, type TestAdapter } from './adapters.ts';

/** What every adapter of mobile money keeps, whatever its protocol. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0.001 });
});
afterAll(() => sandbox?.close());

const booksOf = (provider: MobileMoneyProviderName, { reference }: Payment) =>
  sandbox.books.payouts({ reference, provider });

describe.each(adapterNames)('%s', (name) => {
  let adapter: TestAdapter;
  beforeAll(async () => {
    adapter = await startAdapter(name, sandbox.url);
  });
  afterAll(() => adapter?.close());

  it('takes payments back as its name says', () => {
    expect(adapter.money.reversals !== undefined).toBe(takesBack(name));
  });

  const books = (payment: Payment) => booksOf(name, payment);

  /** Sends, and then asks as the service does; a sending that decides is not asked about. */
  async function outcomeOf(payment: Payment): Promise<ProviderInquiry> {
    const paid = await adapter.money.pay(payment);
    return paid.kind === 'unknown' ? untilKnown(payment) : paid;
  }

  async function untilKnown(payment: Payment): Promise<ProviderInquiry> {
    for (let asked = 0; ; asked += 1) {
      const found = await adapter.money.findPayment(payment);
      if (found.kind !== 'unknown' || asked === 20) return found;
    }
  }

  /** The provider comes to another end, and tells it to whoever listens. */
  async function decide({ reference }: Payment, status: string): Promise<void> {
    const answer = await fetch(`${sandbox.url}/books/payouts/${reference}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ status }),
    });
    expect(answer.status).toBe(200);
  }

  const agrees: Readonly<Record<string, (outcome: ProviderInquiry) => boolean>> = {
    none: ({ kind }) => kind === 'refused' || kind === 'not-sent',
    failed: ({ kind }) => kind === 'refused',
    pending: ({ kind }) => kind === 'unknown',
    completed: (outcome) => outcome.kind === 'delivered' && outcome.reversal === undefined,
    // What it tells first may be the success alone: the watch finds the reversal.
    reversed: ({ kind }) => kind === 'delivered',
  };

  it.each(
    suffixRows
      .filter(({ suffix }) => suffix !== '14')
      .map(({ suffix, meaning }) => [suffix, meaning]),
  )(
    'x%s (%s): our outcome and the books agree, and value was delivered at most once',
    async (suffix) => {
      const payment = paymentTo(`+2519110000${suffix}`);
      const outcome = await outcomeOf(payment);
      const rows = books(payment);
      expect(rows.length).toBeLessThan(2);
      const status = rows[0]?.status ?? 'none';
      if (suffix === '18') {
        // A 401 that is not the provider's own: only an inquiry can tell that it was not paid.
        const kind = adapter.money.repetition === 'never' ? 'unknown' : 'never-seen';
        expect({ status, kind: outcome.kind }).toEqual({ status: 'none', kind });
        return;
      }
      expect({ status, outcome, agrees: agrees[status]?.(outcome) }).toMatchObject({
        agrees: true,
      });
      expect(rows.every(({ amount, currency }) => amount === '97.00' && currency === 'ETB')).toBe(
        true,
      );
    },
  );

  it.each([
    ['completed', 'delivered'],
    ['failed', 'refused'],
  ])('x14 stays unknown until the provider has %s it', async (status, kind) => {
    const payment = paymentTo('+251911000014');
    expect((await adapter.money.pay(payment)).kind).toBe('unknown');
    expect((await adapter.money.findPayment(payment)).kind).toBe('unknown');
    await decide(payment, status);
    expect((await untilKnown(payment)).kind).toBe(kind);
    expect(books(payment)).toHaveLength(1);
  });

  it('a payment that is reversed later is found reversed', async () => {
    const payment = paymentTo('+251911000015');
    expect((await outcomeOf(payment)).kind).toBe('delivered');
    await expect
      .poll(() => adapter.money.findPayment(payment))
      .toMatchObject({ kind: 'delivered', reversal: expect.any(String) });
  });

  it('F25: a late success after a refusal is found, and then its reversal', async () => {
    const payment = paymentTo('+251911000014');
    await adapter.money.pay(payment);
    await decide(payment, 'failed');
    expect(await untilKnown(payment)).toMatchObject({ kind: 'refused' });
    // It may tell what it told before, until the news has arrived.
    const found = () => adapter.money.findPayment(payment);
    await decide(payment, 'completed');
    await expect.poll(found).toMatchObject({ kind: 'delivered' });
    // Asked again, it is the same, and nothing is paid by asking.
    const late = await untilKnown(payment);
    expect(late).toMatchObject({ kind: 'delivered' });
    expect(late).not.toHaveProperty('reversal');
    expect(books(payment)).toMatchObject([{ status: 'completed' }]);
    await decide(payment, 'reversed');
    await expect.poll(found).toMatchObject({ reversal: expect.any(String) });
    expect(books(payment)).toMatchObject([{ status: 'reversed' }]);
  });

  it('F21: a payment that never arrived is sent again only where that is safe', async () => {
    const silent = await startRawServer((request) => request.socket.destroy());
    const lost = await startAdapter(name, silent.url);
    const payment = paymentTo('+251911000000');
    // Without a token nothing was sent.
    expect(['unknown', 'not-sent']).toContain((await lost.money.pay(payment)).kind);
    await lost.close();
    await silent.close();
    // One that never says so is asked until the limit.
    const isNever = adapter.money.repetition === 'never';
    const asked = await startAdapter(name, sandbox.url, isNever ? 0.5 : 60);
    const found = await asked.money.findPayment(payment);
    expect(found.kind).toBe(isNever ? 'unknown' : 'never-seen');
    await asked.close();
  });

  it('F22: a refusal is definite, and says whether a retry can help', async () => {
    const refused = await outcomeOf(paymentTo('+251911000002'));
    expect(refused).toMatchObject({ kind: 'refused', retryCanHelp: false });
    const short = await outcomeOf(paymentTo('+251911000004'));
    expect(short).toMatchObject({ kind: 'refused', retryCanHelp: true });
  });

  it('F24: a provider that hangs costs one deadline', async () => {
    const hanging = await startRawServer(() => undefined);
    // A call without a limit outlasts the test.
    const slow = await startAdapter(name, hanging.url, 0.2);
    expect(['unknown', 'not-sent']).toContain(
      (await slow.money.pay(paymentTo('+251911000000'))).kind,
    );
    expect((await slow.money.findPayment(paymentTo('+251911000000'))).kind).toBe('unknown');
    await slow.close();
    await hanging.close();
  });

  it('tells nothing of secrets and numbers', async () => {
    for (const suffix of ['02', '03', '04', '06', '07', '09']) {
      const outcome = JSON.stringify(await outcomeOf(paymentTo(`+2519110000${suffix}`)));
      expect(outcome).not.toMatch(/911000|credential/);
    }
  });

  it('sends nothing that it cannot carry', async () => {
    for (const amount of ['0', '-5', 'x', '0.00001']) {
      const payment = { ...paymentTo('+251911000000'), amount };
      expect(adapter.money.canCarry(amount)).toBe(false);
      expect((await adapter.money.pay(payment)).kind).toBe('not-sent');
      expect(books(payment)).toEqual([]);
    }
  });
});

/** At the same time, because some calls last until their limit. */
describe('every adapter', () => {
  let way: Awaited<ReturnType<typeof makeSpoilingWay>>;
  let adapters: { name: MobileMoneyProviderName; spoilt: TestAdapter; impatient: TestAdapter }[];
  beforeAll(async () => {
    way = await makeSpoilingWay();
    way.setTarget(sandbox.url);
    adapters = await Promise.all(
      adapterNames.map(async (name) => ({
        name,
        spoilt: await startAdapter(name, way.url),
        impatient: await startAdapter(name, way.url, 2),
      })),
    );
  });
  afterAll(async () => {
    for (const { spoilt, impatient } of adapters)
      for (const one of [spoilt, impatient]) await one.close();
    await way.close();
  });
  afterEach(() => way.spoilWith(undefined));

  /** Each with a payment of its own, and with a limit that ends an answer without an end. */
  const payments = (what: string, number: string) =>
    adapters.map(({ name, spoilt, impatient }) => ({
      name,
      payment: paymentTo(number),
      money: (what === 'a slow drip' ? impatient : spoilt).money,
    }));

  it.each(Object.entries(spoils))(
    'F20, F23: it was paid, and the answer is %s',
    async (what, spoil) => {
      const all = payments(what, '+251911000000');
      way.spoilWith(spoil);
      const paid: ProviderOutcome[] = await Promise.all(
        all.map(({ money, payment }) => money.pay(payment)),
      );
      way.spoilWith(undefined);
      for (const [index, { name, money, payment }] of all.entries()) {
        expect(['delivered', 'unknown'], name).toContain(paid[index]?.kind);
        // Nothing tells how far a provider came.
        if (paid[index]?.kind === 'unknown') {
          const found = async () => (await money.findPayment(payment)).kind;
          await expect.poll(found).toBe('delivered');
        }
        expect(booksOf(name, payment)).toMatchObject([{ status: 'completed' }]);
      }
    },
  );

  it.each(Object.entries(spoils))(
    'F23: an inquiry whose answer is %s proves nothing',
    async (what, spoil) => {
      const all = payments(what, '+251911000014');
      for (const { money, payment } of all) await money.pay(payment);
      way.spoilWith(spoil, { inquiries: true });
      const found = await Promise.all(all.map(({ money, payment }) => money.findPayment(payment)));
      expect(found.map(({ kind }) => kind)).toEqual(all.map(() => 'unknown'));
    },
  );
});
