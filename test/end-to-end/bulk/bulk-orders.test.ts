import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orderVouchersOnce } from '../../../src/operations/bulk.ts';
import { lineSchema, orderedLine } from '../../../src/partner/bulk-orders.ts';
import { generateBulkId } from '../../../workflows/workflow-ids.ts';
import { expectShortStretches, longLines } from '../../harness/event-loop.ts';
import { partnerClient, type RawPartner } from '../../support/clients.ts';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../support/companies.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { isNumber } from '../privacy/stored-numbers.ts';

/**
 * Orders of many vouchers: each line is generated or refused on its own, once for ever by its
 * reference, whatever ends in the middle: the wallet, the partner's rights, the order or a process.
 */
let stack: Stack;
let merchant: TestMerchant;
/** The number whose voucher the database refuses. */
const POISON = '+251911999999';

/** Lets the next batches of lines wait inside their transaction. */
let gate: Promise<void> | undefined;
/** What happens inside the transactions of batches, before their lines are read. */
let atBatch: (() => Promise<void> | undefined) | undefined;
beforeAll(async () => {
  stack = await startStack(
    {},
    { failpoint: (name) => (name === 'bulk-begun' ? (atBatch?.() ?? gate) : undefined) },
  );
  merchant = await makeMerchant(stack);
});
afterAll(() => stack?.stop());

interface Buyer extends RawPartner {
  readonly partner: TestPartner;
}

async function buyer(giftWallet = '100000'): Promise<Buyer> {
  const partner = await makePartner(stack, { giftWallet });
  return { ...(await partnerClient(stack, partner)), partner };
}

const lineOf = ({ partner }: Buyer, fields: object = {}) => ({
  reference: randomUUID(),
  denominationId: partner.denominations[100],
  merchantId: merchant.id,
  msisdn: '+251911234567',
  ...fields,
});

const linesOf = (as: Buyer, number: number, fields: object = {}) =>
  Array.from({ length: number }, () => lineOf(as, fields));

const order = (as: Buyer, lines: readonly object[], headers: Record<string, string> = {}) =>
  as.post('/vouchers/bulk', { lines }, headers);

async function accepted(as: Buyer, lines: readonly object[]): Promise<number> {
  const answer = await order(as, lines);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.bulkOrder.id;
}

const show = async (as: Buyer, id: number) =>
  (await as.get(`/bulk-orders/${id}`)).body.data.bulkOrder;

const untilEnded = (as: Buyer, id: number) =>
  until(async () => {
    const shown = await show(as, id);
    if (shown.endedAt === null) throw new Error(`The order is ${shown.status}`);
    return shown;
  });

interface Line {
  readonly line: number;
  readonly reference: string;
  readonly status: string;
  readonly voucher: { readonly id: string; readonly voucherCode: string } | null;
  readonly refusal: { readonly statusCode: number; readonly message: string } | null;
}

const listed = async (as: Buyer, id: number, query = ''): Promise<Line[]> =>
  (await as.get(`/bulk-orders/${id}/lines${query}`)).body.data.lines;

const vouchersOf = async ({ partner }: Buyer): Promise<number> => {
  const { count } = await stack.database
    .selectFrom('vouchers')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('partner_id', '=', partner.id)
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Counts the vouchers that are written, also those that are rolled back. */
async function countTries(work: () => Promise<void>): Promise<number> {
  const { database } = stack;
  const change = (text: string) => sql.raw(text).execute(database);
  await change('create sequence tried');
  await change(`create function count_try() returns trigger security definer language plpgsql as
    $$ begin perform nextval('public.tried'); return new; end $$`);
  await change(`create trigger count_try before insert on vouchers
    for each row execute function count_try()`);
  try {
    await work();
    const { rows } = await sql<{ tries: number }>`select nextval('tried') - 1 as tries`.execute(
      database,
    );
    return Number(rows[0]?.tries);
  } finally {
    await change('drop function count_try cascade');
    await change('drop sequence tried');
  }
}

const wallet = async (as: Buyer): Promise<number> =>
  (await as.get('/info/get-current-balance')).body.data.eMoneyWalletBalance;

describe('an order', () => {
  test('generates each line, answers the codes, and lists them page by page', async () => {
    const as = await buyer();
    const lines = linesOf(as, 45);
    const id = await accepted(as, lines);
    const ended = await untilEnded(as, id);
    expect(ended).toMatchObject({ status: 'COMPLETED', lines: 45, generated: 45, refused: 0 });
    const first = await as.get(`/bulk-orders/${id}/lines?limit=40`);
    expect(first.body.data.next).toBe(40);
    const second = await as.get(`/bulk-orders/${id}/lines?limit=40&after=40`);
    expect(second.body.data.next).toBeNull();
    const all: Line[] = [...first.body.data.lines, ...second.body.data.lines];
    expect(all.map(({ line, reference }) => [line, reference])).toEqual(
      lines.map(({ reference }, index) => [index + 1, reference]),
    );
    expect(new Set(all.map(({ voucher }) => voucher?.voucherCode)).size).toBe(45);
    expect(await vouchersOf(as)).toBe(45);
    const claim = await as.post('/topup-transactions/initiate-claim', {
      voucherCode: all[44]?.voucher?.voucherCode,
    });
    expect(claim.status).toBe(200);
  });

  test('of 10,000 lines keeps no other request waiting while it is recorded', async () => {
    const { partner } = await buyer();
    const { id: apiKeyId } = await stack.database
      .selectFrom('api_keys')
      .select('id')
      .where('partner_id', '=', partner.id)
      .executeTakeFirstOrThrow();
    const credential = { apiKeyId, tokenVersion: 1 };
    const company = { kind: 'partner', id: partner.id, credential } as const;
    const { workflows, ...services } = stack.api.services;
    const idle = { ...services, workflows: { ...workflows, beginBulkOrder: async () => true } };
    const lines = longLines().map((line) => orderedLine(lineSchema.parse(line)));
    let order = 0;
    await expectShortStretches('10,000 lines', () => {
      order += 1;
      const named = lines.map((line) => ({ ...line, reference: `${order}-${line.reference}` }));
      return orderVouchersOnce(idle, { company, key: undefined, lines: named });
    });
  });

  test('refuses a line by the rule of a single voucher, and no other line', async () => {
    const as = await buyer();
    const { partner } = as;
    const id = await accepted(as, [
      lineOf(as),
      lineOf(as, { denominationId: partner.denominations.unpriced }),
      lineOf(as, { merchantId: 999_999_999 }),
      lineOf(as, { denominationId: 999_999_999 }),
      lineOf(as, { msisdn: '+447400123456' }),
      lineOf(as, { merchantId: null, merchantIdentifier: merchant.identifier, msisdn: null }),
    ]);
    expect(await untilEnded(as, id)).toMatchObject({ generated: 2, refused: 4 });
    const lines = await listed(as, id);
    expect(lines.map(({ refusal }) => refusal?.statusCode)).toEqual([
      undefined,
      404,
      404,
      404,
      400,
      undefined,
    ]);
    expect((await listed(as, id, '?status=REFUSED')).map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  });

  test('goes on behind a line that the database refuses', async () => {
    const as = await buyer();
    const lines = [...linesOf(as, 12), lineOf(as, { msisdn: POISON }), ...linesOf(as, 12)];
    const mend = await breakStatement(stack.database, {
      table: 'vouchers',
      on: 'insert',
      when: `new.owner_msisdn like '${stack.api.services.numbers.hashOf(POISON)}.%'`,
    });
    try {
      const tries = await countTries(async () => {
        const id = await accepted(as, lines);
        expect(await untilEnded(as, id)).toMatchObject({ generated: 24, refused: 1 });
        const [refused] = await listed(as, id, '?status=REFUSED');
        expect(refused).toMatchObject({ line: 13, refusal: { statusCode: 500 } });
      });
      expect(tries).toBeLessThan(3 * lines.length);
    } finally {
      await mend();
    }
  });

  test('refuses that line alone, where another run has settled it meanwhile', async () => {
    const as = await buyer();
    const mend = await breakStatement(stack.database, {
      table: 'vouchers',
      on: 'insert',
      when: `new.owner_msisdn like '${stack.api.services.numbers.hashOf(POISON)}.%'`,
    });
    let batches = 0;
    // The batch and the line alone have failed: now the refusal would be recorded.
    atBatch = () => {
      batches += 1;
      return batches === 3 ? settleElsewhere() : undefined;
    };
    const settleElsewhere = async () => {
      await stack.database
        .updateTable('bulk_lines')
        .set({ status: 'CANCELLED' })
        .where(isNumber(stack, 'owner_msisdn', POISON))
        .where('status', '=', 'PENDING')
        .execute();
    };
    try {
      const id = await accepted(as, [lineOf(as, { msisdn: POISON }), ...linesOf(as, 2)]);
      await until(async () => expect((await show(as, id)).generated).toBe(2));
      await stack.database
        .updateTable('bulk_orders')
        .set({ cancelled: 1 })
        .where('id', '=', id)
        .execute();
      expect(await untilEnded(as, id)).toMatchObject({ generated: 2, refused: 0 });
    } finally {
      atBatch = undefined;
      await mend();
    }
  });

  test('takes what the wallet has, and refuses the rest as not covered', async () => {
    const as = await buyer('1050');
    const id = await accepted(as, linesOf(as, 30));
    expect(await untilEnded(as, id)).toMatchObject({ generated: 10, refused: 20 });
    expect(await wallet(as)).toBe(50);
    const refused = await listed(as, id, '?status=REFUSED');
    expect(new Set(refused.map(({ refusal }) => refusal?.statusCode))).toEqual(new Set([405]));
  });

  test('stays within the daily limit of its company', async () => {
    const as = await buyer();
    await stack.database
      .updateTable('partners')
      .set({ daily_operations: 7 })
      .where('id', '=', as.partner.id)
      .execute();
    const tries = await countTries(async () => {
      const id = await accepted(as, linesOf(as, 200));
      expect(await untilEnded(as, id)).toMatchObject({ generated: 7, refused: 193 });
      const [refused] = await listed(as, id, '?status=REFUSED');
      expect(refused?.refusal).toMatchObject({ statusCode: 429 });
    });
    expect(tries).toBeLessThan(2 * 200);
  });

  test('is refused as a whole, and leaves nothing, with one wrong line among many', async () => {
    const as = await buyer();
    const lines: object[] = linesOf(as, 9_999);
    lines.splice(7_000, 0, lineOf(as, { msisdn: 'not a number' }));
    const answer = await order(as, lines);
    expect(answer.status).toBe(400);
    expect(answer.body.data.issues).toEqual([
      { path: 'lines.7000.msisdn', message: expect.stringContaining('mobile number') },
    ]);
    const orders = await stack.database
      .selectFrom('bulk_orders')
      .select('id')
      .where('partner_id', '=', as.partner.id)
      .execute();
    expect(orders).toEqual([]);
  });

  test.each([
    ['no line', () => []],
    ['10,001 lines', (as: Buyer) => linesOf(as, 10_001)],
    [
      'a reference twice',
      (as: Buyer) => [lineOf(as, { reference: 'a' }), lineOf(as, { reference: 'a' })],
    ],
    ['a reference with a space', (as: Buyer) => [lineOf(as, { reference: 'a b' })]],
    ['no merchant', (as: Buyer) => [lineOf(as, { merchantId: null })]],
  ])('with %s is refused', async (_what, lines) => {
    const as = await buyer();
    expect((await order(as, lines(as))).status).toBe(400);
  });

  test('is not found by another company', async () => {
    const [as, stranger] = [await buyer(), await buyer()];
    const id = await accepted(as, linesOf(as, 1));
    expect((await stranger.get(`/bulk-orders/${id}`)).status).toBe(404);
    expect((await stranger.get(`/bulk-orders/${id}/lines`)).status).toBe(404);
    expect((await stranger.post(`/bulk-orders/${id}/cancel`, {})).status).toBe(404);
    expect(await untilEnded(as, id)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('once', () => {
  test('an order is accepted under its key, and answered again', async () => {
    const as = await buyer();
    const lines = linesOf(as, 3);
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all([order(as, lines, key), order(as, lines, key)]);
    const [one, other] = answers.map(({ body }) => body.data.bulkOrder.id);
    expect(one).toBe(other);
    await untilEnded(as, one);
    const again = await order(as, lines, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.data.bulkOrder).toMatchObject({ id: one, generated: 3 });
    expect((await order(as, linesOf(as, 3), key)).status).toBe(422);
    expect(await vouchersOf(as)).toBe(3);
  });

  test('a reference generates one voucher, in any number of orders at the same time', async () => {
    const as = await buyer();
    const lines = linesOf(as, 40);
    const ids = await Promise.all([1, 2, 3].map(() => accepted(as, lines)));
    const results = await Promise.all(
      ids.map(async (id) => {
        await untilEnded(as, id);
        return (await listed(as, id)).map(({ voucher }) => voucher?.id);
      }),
    );
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(await vouchersOf(as)).toBe(40);
    expect((await as.get(`/vouchers/${results[0]?.[0]}`)).status).toBe(200);
  });

  test('a reference is refused for other content, and free again after a refusal', async () => {
    const as = await buyer();
    const used = lineOf(as);
    const missed = lineOf(as, { denominationId: 999_999_999 });
    await untilEnded(as, await accepted(as, [used, missed]));
    const id = await accepted(as, [
      { ...used, denominationId: as.partner.denominations[500] },
      { ...missed, denominationId: as.partner.denominations[100] },
    ]);
    expect(await untilEnded(as, id)).toMatchObject({ generated: 1, refused: 1 });
    const [reused, corrected] = await listed(as, id);
    expect(reused?.refusal?.statusCode).toBe(422);
    expect(corrected?.status).toBe('GENERATED');
  });
});

describe('in the middle', () => {
  /** Holds the batch that is being generated until the caller lets it go. */
  function hold() {
    let release = () => {};
    gate = new Promise((resolve) => {
      release = () => {
        gate = undefined;
        resolve();
      };
    });
    return release;
  }

  test('orders of one partner take turns, and nothing else waits for them', async () => {
    const [as, other] = [await buyer(), await buyer()];
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let batches = 0;
    atBatch = () => {
      batches += 1;
      return batches === 1 ? isReleased : undefined;
    };
    try {
      const ids = await Promise.all([1, 2, 3, 4, 5].map(() => accepted(as, linesOf(as, 45))));
      await until(() => expect(batches).toBeGreaterThan(0));
      const { reference, ...voucher } = lineOf(as);
      const single = await as.post('/topup-transactions/generate-voucher', voucher);
      const { voucherCode } = single.body.data.voucher;
      const claim = await as.post('/topup-transactions/initiate-claim', { voucherCode });
      expect(claim.status).toBe(200);
      await untilEnded(other, await accepted(other, linesOf(other, 45)));
      // Three of the other partner, and the one that is held: its partner's other orders have no connection.
      expect(batches).toBe(3 + 1);
      release();
      for (const id of ids)
        expect(await untilEnded(as, id)).toMatchObject({ generated: 45, refused: 0 });
    } finally {
      atBatch = undefined;
      release();
    }
  });

  test('a cancellation keeps what is generated, and generates no more', async () => {
    const as = await buyer();
    const release = hold();
    const id = await accepted(as, linesOf(as, 900));
    release();
    await until(async () => expect((await show(as, id)).generated).toBeGreaterThan(0));
    const answer = await as.post(`/bulk-orders/${id}/cancel`, {});
    expect(answer.status).toBe(200);
    const ended = await untilEnded(as, id);
    expect(ended).toMatchObject({ status: 'CANCELLED', refused: 0 });
    expect(ended.generated + ended.cancelled).toBe(900);
    expect(ended.cancelled).toBeGreaterThan(0);
    expect(await vouchersOf(as)).toBe(ended.generated);
    const repeated = await as.post(`/bulk-orders/${id}/cancel`, {});
    expect(repeated.body.data.bulkOrder).toEqual(ended);
  });

  test('a revoked key ends what it ordered', async () => {
    const as = await buyer();
    const release = hold();
    const id = await accepted(as, linesOf(as, 30));
    await stack.database
      .updateTable('api_keys')
      .set({ revoked_at: new Date() })
      .where('partner_id', '=', as.partner.id)
      .execute();
    release();
    const { refused } = await until(() =>
      stack.database
        .selectFrom('bulk_orders')
        .select('refused')
        .where('id', '=', id)
        .where('ended_at', 'is not', null)
        .executeTakeFirstOrThrow(),
    );
    expect(refused).toBe(30);
    expect(await vouchersOf(as)).toBe(0);
  });

  test('an order whose workflow is gone goes on after the next expiry run, without a second voucher', async () => {
    const as = await buyer();
    const release = hold();
    const id = await accepted(as, linesOf(as, 60));
    const { operation_id } = await stack.database
      .selectFrom('bulk_orders')
      .select('operation_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { client } = stack.temporal;
    const handle = client.workflow.getHandle(generateBulkId(id, operation_id));
    await handle.terminate('a test');
    release();
    await client.workflow.execute('expireVouchers', {
      workflowId: `expiry-${randomUUID()}`,
      taskQueue: stack.config.temporal.temporalTaskQueue,
    });
    expect(await untilEnded(as, id)).toMatchObject({ generated: 60, refused: 0 });
    expect(await vouchersOf(as)).toBe(60);
    expect(await wallet(as)).toBe(100_000 - 6_000);
  });
});
