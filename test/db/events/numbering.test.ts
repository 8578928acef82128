import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, DatabaseTransaction } from '../../../src/db/connection.ts';
import { numberEvents } from '../../../src/db/events.ts';
import { cancelAlone } from '../../support/vouchers.ts';
import { addGiftSeller, addVoucher, type GiftSeller } from '../gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { prune } from '../prune.ts';

let open: OpenDatabase;
let database: Database;
let seller: GiftSeller;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
afterAll(() => open?.close());
beforeEach(async () => {
  seller = await addGiftSeller(database);
});

const BATCH = 100;

/** A transaction that has inserted an event and is open until it is ended. */
async function insertEvent(subject: string) {
  let end = (_isCommitted: boolean) => {};
  const ending = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  let inserted = () => {};
  const hasInserted = new Promise<void>((resolve) => {
    inserted = resolve;
  });
  const done = database
    .transaction()
    .execute(async (transaction) => {
      await insertInto(transaction, subject);
      inserted();
      if (!(await ending)) throw new Error('rolled back');
    })
    .catch((error) => {
      if (error.message !== 'rolled back') throw error;
    });
  await hasInserted;
  return async (outcome: 'commit' | 'roll-back') => {
    end(outcome === 'commit');
    await done;
  };
}

const insertInto = (transaction: DatabaseTransaction, subject: string) =>
  sql`
  insert into events (company_kind, company_id, type, subject, data)
  values ('partner', ${seller.partnerId}, 'voucher.generated', ${subject}, '{}')`.execute(
    transaction,
  );

/** The log of the seller after a number. */
const eventsAfter = (number: number) =>
  database
    .selectFrom('events')
    .select(['number', 'subject'])
    .where('company_kind', '=', 'partner')
    .where('company_id', '=', seller.partnerId)
    .where('number', '>', number)
    .orderBy('number')
    .execute();

const newSubjects = async () => (await eventsAfter(0)).map(({ subject }) => subject);

const numbered = (batchSize = BATCH, isFenced = () => false) =>
  numberEvents(database, batchSize, isFenced);

describe('numberEvents', () => {
  it('numbers events of transactions that commit out of order in the order of their visibility', async () => {
    const endFirst = await insertEvent('voucher:1');
    const endSecond = await insertEvent('voucher:2');
    const endThird = await insertEvent('voucher:3');
    await endSecond('commit');
    expect(await numbered()).toBe(1);
    expect(await newSubjects()).toEqual(['voucher:2']);
    await endThird('roll-back');
    await endFirst('commit');
    expect(await numbered()).toBe(1);
    expect(await newSubjects()).toEqual(['voucher:2', 'voucher:1']);
    expect(await numbered()).toBe(0);
  });

  it('a reader beside several workers misses nothing and never finds a smaller number', async () => {
    const read: { number: number | null; subject: string }[] = [];
    let isWriting = true;
    const readOn = async () => read.push(...(await eventsAfter(read.at(-1)?.number ?? 0)));
    const reader = (async () => {
      while (isWriting) await readOn();
    })();
    const workers = [1, 2, 3].map(async () => {
      while (isWriting) await numbered(2);
    });
    for (let round = 0; round < 20; round += 1) {
      const ends = await Promise.all(
        [1, 2, 3, 4].map((place) => insertEvent(`voucher:${round * 4 + place}`)),
      );
      // The last one to begin is the first one to commit.
      for (const end of ends.reverse()) await end('commit');
    }
    isWriting = false;
    await Promise.all([reader, ...workers]);
    while ((await numbered()) > 0);
    await readOn();
    const numbers = read.map(({ number }) => number ?? 0);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(new Set(read.map(({ subject }) => subject)).size).toBe(80);
    expect(read).toEqual(await eventsAfter(0));
  });

  it('numbers at most a batch, oldest first', async () => {
    for (const subject of ['voucher:1', 'voucher:2', 'voucher:3'])
      await (await insertEvent(subject))('commit');
    expect(await numbered(2)).toBe(2);
    expect(await newSubjects()).toEqual(['voucher:1', 'voucher:2']);
    expect(await numbered(2)).toBe(1);
  });

  it('numbers nothing behind the fence of a restore', async () => {
    await (await insertEvent('voucher:1'))('commit');
    expect(await numbered(BATCH, () => true)).toBe(0);
    expect(await newSubjects()).toEqual([]);
    expect(await numbered()).toBe(1);
  });
});

describe('the log', () => {
  it('has what was committed, and nothing that was rolled back', async () => {
    const id = await addVoucher(database, seller);
    const cancel = async (transaction: DatabaseTransaction) => {
      await cancelAlone(transaction, id);
    };
    const failing = database.transaction().execute(async (transaction) => {
      await cancel(transaction);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await numbered();
    expect(await typesOf(id)).toEqual(['voucher.generated']);
    await database.transaction().execute(cancel);
    await numbered();
    expect(await typesOf(id)).toEqual(['voucher.generated', 'voucher.cancelled']);
  });

  const changes: [string, (id: number) => string][] = [
    ['other data', (id) => `update events set data = '[]' where id = ${id}`],
    ['another number', (id) => `update events set number = number + 1 where id = ${id}`],
    ['no number', (id) => `update events set number = null where id = ${id}`],
    ['emptied', () => 'truncate events'],
  ];
  it.each(changes)('cannot get: %s', async (_what, statement) => {
    await addVoucher(database, seller);
    await numbered();
    const { id } = await newest();
    await expect(sql.raw(statement(id)).execute(database)).rejects.toThrow(/only ever added/);
  });

  it('does not lose an event that is not numbered yet', async () => {
    await addVoucher(database, seller);
    const { id } = await newest();
    const lose = () => sql`delete from events where id = ${id}`.execute(database);
    await expect(lose()).rejects.toThrow(/only ever added/);
    const change = sql`update events set number = 1, subject = 'x' where id = ${id}`;
    await expect(change.execute(database)).rejects.toThrow(/only ever added/);
    await numbered();
    await lose();
  });
});

describe('pruning', () => {
  const insertAged = (subject: string, days: number) =>
    sql`
    insert into events (created_at, company_kind, company_id, type, subject, data)
    values (now() - make_interval(days => ${days}::int), 'partner', ${seller.partnerId},
      'voucher.generated', ${subject}, '{}')`.execute(database);

  it('deletes numbered events beyond their retention, but not the newest one, which dates cursors', async () => {
    await insertAged('voucher:1', 40);
    await insertAged('voucher:2', 31);
    await insertAged('voucher:3', 29);
    await numbered();
    await insertAged('voucher:4', 40);
    expect(await prune(database, 'events')).toBe(2);
    expect(await prune(database, 'events')).toBe(0);
    await numbered();
    expect(await newSubjects()).toEqual(['voucher:3', 'voucher:4']);
    expect(await prune(database, 'events')).toBe(0);
    await insertAged('voucher:5', 40);
    await numbered();
    expect(await prune(database, 'events')).toBe(1);
  });
});

const typesOf = async (voucherId: number) => {
  const events = await database
    .selectFrom('events')
    .select('type')
    .where('company_id', '=', seller.partnerId)
    .where('subject', '=', `voucher:${voucherId}`)
    .orderBy('number')
    .execute();
  return events.map(({ type }) => type);
};

const newest = () =>
  database
    .selectFrom('events')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
