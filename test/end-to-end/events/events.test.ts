import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareEventTable } from '../../../chaos/oracle/event-facts.ts';
import { type EventType, eventTypes, eventTypesOf } from '../../../src/domain/events.ts';
import { maskMsisdn } from '../../../src/domain/phone.ts';
import { eventSchema, subjectExample } from '../../../src/http/events.ts';
import { commandsOn } from '../../admin/scene.ts';
import { settleCase } from '../../positions/cases.ts';
import { doneLate, observe, takenBack } from '../../positions/placements.ts';
import { merchantClient, partnerClient } from '../../support/clients.ts';
import { deposit, makePartner } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { done } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { idOf, sale } from '../topups/topup-scene.ts';

interface Event {
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}
type Reader = Awaited<ReturnType<typeof partnerClient>>;

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ EVENT_NUMBERING_SECONDS: '0.05' });
});
afterAll(() => scene?.stop());

const get = (reader: Reader, query: Record<string, string | number> = {}) =>
  reader.get(`/events?${new URLSearchParams(query as Record<string, string>)}`);

/** Waits until every event is numbered. */
const numbered = () =>
  until(async () => {
    const open = await scene.stack.database
      .selectFrom('events')
      .select('id')
      .where('number', 'is', null)
      .execute();
    expect(open).toEqual([]);
  });

/** A company's log from a cursor on, read to its end in pages of this size. */
async function readLog(reader: Reader, { after = '', limit = 100 } = {}) {
  await numbered();
  const events: Event[] = [];
  let cursor = after;
  for (;;) {
    const query = { limit, ...(cursor ? { after: cursor } : {}) };
    const { data } = done(await get(reader, query)).body;
    events.push(...data.events);
    cursor = data.next;
    if (!data.hasMore) return { events, next: cursor };
  }
}

/** What the log of a company says of one subject: "voucher.redeemed 100.000000". */
const told = (events: readonly Event[], subject: string, field: string) =>
  events
    .filter((event) => event.subject === subject)
    .map(({ type, data }) => `${type} ${data[field] ?? ''}`.trim());

describe('the events of a voucher', () => {
  test('tell its life to its partner and to its merchant, each redemption with what remains', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const asMerchant = client as Reader;
    const gift = await scene.gift({ merchant, denomination: 500 });
    await scene.redeemed(client, gift, { amount: 200 });
    await scene.redeemed(client, gift);
    const [last] = done(await asMerchant.get('/redemptions')).body.data;
    done(await client.post(`/redemptions/${last.id}/reverse`, {}));
    const { events } = await readLog(scene.asPartner);
    const subject = `voucher:${gift.id}`;
    expect(told(events, subject, 'remaining')).toEqual([
      'voucher.generated',
      'claim.started 500.000000',
      'voucher.redeemed 295.000000',
      'claim.started 295.000000',
      'voucher.redeemed 0.000000',
      'redemption.reversed 295.000000',
    ]);
    const generated = events.find((event) => event.subject === subject);
    expect(generated?.data).toMatchObject({
      owner: maskMsisdn(gift.owner ?? ''),
      amount: '500.000000',
      merchantId: merchant.id,
    });
    const own = (await readLog(asMerchant)).events;
    expect(own.map(({ type }) => type)).toEqual([
      'claim.started',
      'voucher.redeemed',
      'payout.completed',
      'claim.started',
      'voucher.redeemed',
      'payout.completed',
      'redemption.reversed',
    ]);
    expect(own[2]?.data).toMatchObject({ amount: '200.000000', serviceFee: '5.000000' });
  });

  test('tell a refused payment, and that the value is back', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '002' });
    const gift = await scene.gift({ merchant, owner: null });
    await redeem(client, gift);
    const { events } = await readLog(scene.asPartner);
    expect(told(events, `voucher:${gift.id}`, 'remaining')).toEqual([
      'voucher.generated',
      'redemption.refused 100.000000',
    ]);
    const own = (await readLog(client as Reader)).events;
    expect(own.map(({ type }) => type)).toEqual(['redemption.refused']);
  });

  test('tell its expiry and its cancellation, with what went back', async () => {
    const [expired, cancelled] = [await scene.gift(), await scene.gift()];
    await scene.expire(expired);
    await scene.stack.temporal.client.workflow.execute('expireVouchers', {
      workflowId: `expiry-${expired.id}`,
      taskQueue: scene.stack.config.temporal.temporalTaskQueue,
    });
    await scene.cancel(cancelled);
    const { events } = await readLog(scene.asPartner);
    expect(told(events, `voucher:${expired.id}`, 'returned')).toEqual([
      'voucher.generated',
      'voucher.expired 100.000000',
    ]);
    expect(told(events, `voucher:${cancelled.id}`, 'returned')).toEqual([
      'voucher.generated',
      'voucher.cancelled 100.000000',
    ]);
  });
});

describe('the events of a top-up', () => {
  let asSeller: Reader;
  let sellerId: number;
  beforeAll(async () => {
    const seller = await makePartner(scene.stack);
    sellerId = seller.id;
    await makeTopupProducts(scene.stack, seller);
    await deposit(scene.stack, seller.id, '1000', 'airtime');
    asSeller = await partnerClient(scene.stack, seller);
  });

  const topup = async (msisdn: string) =>
    idOf(await asSeller.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale }));

  const typesOf = async (id: number) =>
    told((await readLog(asSeller)).events, `top-up:${id}`, 'attempt');

  /** Books what reconciliation finds at the provider. */
  const book = async (id: number, kind: 'late' | 'reversed') => {
    const { database } = scene.stack;
    const { operation_id: operationId } = await database
      .selectFrom('topup_attempts')
      .select('operation_id')
      .where('topup_id', '=', id)
      .executeTakeFirstOrThrow();
    await (kind === 'late' ? doneLate : takenBack)(database, operationId);
    const { reference } = await database
      .selectFrom('topup_attempts')
      .select('reference')
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow();
    return reference;
  };
  const operator = () => commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });

  test('tell each attempt', async () => {
    const id = await topup('+251911000002');
    done(
      await asSeller.post('/topup-transactions/retry-topup', {
        transactionId: id,
        msisdn: '+251911000000',
      }),
    );
    expect(await typesOf(id)).toEqual(['topup.failed 1', 'topup.succeeded 2']);
  });

  test('tell a late delivery, and no success besides', async () => {
    const id = await topup('+251911000002');
    await book(id, 'late');
    expect(await typesOf(id)).toEqual(['topup.failed 1', 'topup.late 1']);
  });

  test('tell a reversal, and the failure once it is credited', async () => {
    const id = await topup('+251911000000');
    const reference = await book(id, 'reversed');
    expect(await typesOf(id)).toEqual(['topup.succeeded 1', 'topup.reversed 1']);
    await settleCase(scene.stack, reference, 'partner');
    expect(await typesOf(id)).toEqual(['topup.succeeded 1', 'topup.reversed 1', 'topup.failed 1']);
  });

  test('tell no id of a request as a reference of the provider', async () => {
    const { database } = scene.stack;
    const id = await topup('+251911000000');
    const { operation_id: operationId } = await database
      .selectFrom('topup_attempts')
      .select('operation_id')
      .where('topup_id', '=', id)
      .executeTakeFirstOrThrow();
    await sql`
      insert into placements (kind, reference, provider, operation_id, ordered, position, provider_reference)
      select kind, reference, 'reloadly', operation_id, ordered, 2, 'request-7' from placements
      where operation_id = ${operationId}`.execute(database);
    await database
      .transaction()
      .execute((transaction) =>
        observe(transaction, operationId, { said: 'undone', provider: 'dt-one' }),
      );
    const { events } = await readLog(asSeller);
    const [ended, reversed] = events.filter(({ subject }) => subject === `top-up:${id}`);
    expect(reversed?.type).toBe('topup.reversed');
    expect(reversed?.data.providerReference).toBe(ended?.data.providerReference);
  });

  test('tell a low balance each time that the wallet falls below its threshold', async () => {
    const balance = Number(
      (await asSeller.get('/info/get-current-balance')).body.data.walletBalance,
    );
    const set = `partner set-low-balance ${sellerId} --wallet airtime --threshold`;
    await operator().json(`${set} ${balance - 60}`);
    const again = await operator().admin(`${set} ${balance - 60}`);
    expect(again.out).toContain('No change');
    const tell = async () =>
      told((await readLog(asSeller)).events, `wallet:airtime:${sellerId}`, 'balance');
    await topup('+251911000000');
    expect(await tell()).toEqual([]);
    await topup('+251911000000');
    const first = `balance.low ${balance - 100}.000000`;
    expect(await tell()).toEqual([first]);
    await topup('+251911000000');
    expect(await tell()).toEqual([first]);
    await deposit(scene.stack, sellerId, '150', 'airtime');
    await topup('+251911000000');
    await topup('+251911000000');
    expect(await tell()).toEqual([first, `balance.low ${balance - 100}.000000`]);
    await operator().json(`${set} none`);
  });
});

test('each fact of the tables has exactly its events', async () => {
  expect(await compareEventTable(scene.stack.database)).toEqual([]);
});

/** Like the test before it, it looks at everything that the tests above have left. */
test('every type was written, each event with exactly the facts of its schema', async () => {
  await numbered();
  const rows = await scene.stack.database.selectFrom('events').selectAll().execute();
  expect([...new Set(rows.map(({ type }) => type))].toSorted()).toEqual(
    Object.keys(eventTypes).toSorted(),
  );
  for (const { type, company_kind: kind, data, subject } of rows) {
    const { shape } = eventSchema(type as EventType);
    expect(() => shape.data.strict().parse(data), `${type} ${JSON.stringify(data)}`).not.toThrow();
    expect(eventTypesOf(kind)).toContain(type);
    const example = subjectExample(type as EventType);
    expect(subject.replace(/\d+$/, '')).toMatch(example.replace(/(gift:)?\d+$/, ''));
  }
});

describe('the log', () => {
  test('is the same in pages of any size, and goes on where it ended', async () => {
    const whole = await readLog(scene.asPartner);
    expect((await readLog(scene.asPartner, { limit: 3 })).events).toEqual(whole.events);
    const gift = await scene.gift();
    const { events, next } = await readLog(scene.asPartner, { after: whole.next });
    expect(events.map(({ subject }) => subject)).toEqual([`voucher:${gift.id}`]);
    expect((await readLog(scene.asPartner, { after: next })).events).toEqual([]);
  });

  test('answers only the wanted types', async () => {
    const { events } = await readLog(scene.asPartner);
    const wanted = events.filter(({ type }) => type === 'voucher.expired');
    expect(wanted.length).toBeGreaterThan(0);
    const { data } = (await get(scene.asPartner, { type: 'voucher.expired' })).body;
    expect(data).toMatchObject({ events: wanted, hasMore: false });
  });

  test('has only what is the caller’s own', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const [stranger, asStranger] = [await makePartner(scene.stack), client as Reader];
    const gift = await scene.gift({ merchant, owner: null });
    await redeem(client, gift);
    const { next } = await readLog(scene.asPartner);
    const asOther = await partnerClient(scene.stack, stranger);
    expect((await readLog(asOther)).events).toEqual([]);
    // The cursor of another company says where, not whose.
    expect((await readLog(asOther, { after: next })).events).toEqual([]);
    const merchants = (await readLog(asStranger)).events;
    expect(merchants.map(({ type }) => type)).toEqual(['voucher.redeemed', 'payout.completed']);
  });

  test.each([
    { after: 'x' },
    { after: Buffer.from('0a1b2c3d4e5f -1').toString('base64url') },
    { after: Buffer.from(`0a1b2c3d4e5f ${'9'.repeat(20)}`).toString('base64url') },
    { after: `${Buffer.from('0a1b2c3d4e5f 1').toString('base64url')}=` },
    { limit: '0' },
    { limit: '101' },
    { limit: '1.5' },
    { limit: 'all' },
    { type: 'voucher.eaten' },
    { type: 'payout.completed' },
  ])('refuses %o', async (query) => {
    const { body, status } = await get(scene.asPartner, query as Record<string, string>);
    expect([status, body.statusCode, body.data.issues]).toEqual([400, 400, [expect.anything()]]);
  });

  test('refuses a cursor after which events were pruned, and one from before a restore', async () => {
    const { database } = scene.stack;
    const { next } = await readLog(scene.asPartner);
    const { data } = (await get(scene.asPartner, { limit: 1 })).body;
    const first = data.next;
    done(await get(scene.asPartner, { after: first }));
    // The second event and all before it are pruned.
    await database
      .deleteFrom('events')
      .where(
        'number',
        '<=',
        Number(
          /\d+$/.exec((await readLog(scene.asPartner, { after: first })).events[0]?.id ?? '')?.[0],
        ),
      )
      .execute();
    expect((await get(scene.asPartner, { after: first })).body.statusCode).toBe(410);
    done(await get(scene.asPartner, { after: next }));
    const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    await operator.json('recovery renew-event-epoch');
    expect((await get(scene.asPartner, { after: next })).body.statusCode).toBe(410);
    const asMerchant = await merchantClient(scene.stack, scene.merchant);
    expect((await get(asMerchant as Reader, { after: next })).body.statusCode).toBe(410);
    const again = await readLog(scene.asPartner);
    const gift = await scene.gift();
    const { events } = await readLog(scene.asPartner, { after: again.next });
    expect(events.map(({ subject }) => subject)).toEqual([`voucher:${gift.id}`]);
    expect(Number(events[0]?.id.slice(4))).toBeGreaterThan(1_000_000_000);
  });
});
