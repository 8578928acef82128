import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { endBatch, MAXIMUM_REFUSED, type Rows } from '../../src/db/refused-rows.ts';

/** An error of PostgreSQL with an SQLSTATE. */
const databaseError = (code: string): Error =>
  Object.assign(new pg.DatabaseError('broken', 0, 'error'), { code });

/** Rows that end in batches of `batchSize`, as in a database where a batch with a bad row ends none. */
function rowsOf(count: number, bad: readonly number[], batchSize = 500, code = '23514') {
  let due = Array.from({ length: count }, (_, id) => id);
  let tries = 0;
  const batchOf = (rows: Rows<number>) =>
    due
      .filter((id) => ('only' in rows ? rows.only.includes(id) : !rows.except.includes(id)))
      .slice(0, batchSize);
  return {
    listDue: async (rows: Rows<number>) => batchOf(rows),
    async end(rows: Rows<number>) {
      tries += 1;
      const batch = batchOf(rows);
      if (batch.some((id) => bad.includes(id))) throw databaseError(code);
      due = due.filter((id) => !batch.includes(id));
      return batch.length;
    },
    left: () => due,
    tries: () => tries,
  };
}

describe('endBatch', () => {
  it('ends a batch without refused rows at once', async () => {
    const rows = rowsOf(10, []);
    expect(await endBatch(rows, [])).toEqual({ count: 10, refused: [] });
    expect(rows.tries()).toBe(1);
  });

  it.each([[[0]], [[499]], [[3, 4, 250]]])('ends all rows but the refused %j', async (bad) => {
    const rows = rowsOf(500, bad);
    const { count, refused } = await endBatch(rows, []);
    expect(count).toBe(500 - bad.length);
    expect(refused.map(({ id }) => id)).toEqual(bad);
    expect(rows.left()).toEqual(bad);
    expect(rows.tries(), 'halves, not single rows').toBeLessThan(20 * bad.length + 2);
  });

  it('leaves out the rows that were refused before', async () => {
    const rows = rowsOf(10, [2]);
    expect(await endBatch(rows, [2])).toEqual({ count: 9, refused: [] });
  });

  it('gives up where too many are refused for single rows', async () => {
    const all = Array.from({ length: 500 }, (_, id) => id);
    const rows = rowsOf(500, all);
    await expect(endBatch(rows, [])).rejects.toMatchObject({ code: '23514' });
    expect(rows.tries()).toBeLessThan(4 * MAXIMUM_REFUSED);
  });

  it('halves nothing while the database is unavailable', async () => {
    const rows = rowsOf(10, [2], 500, '57P01');
    await expect(endBatch(rows, [])).rejects.toMatchObject({ code: '57P01' });
    expect(rows.tries()).toBe(1);
  });
});
