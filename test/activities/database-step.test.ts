import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withStatementTimeout } from '../../activities/database-step.ts';
import { type OpenDatabase, openDatabase } from '../db/open-database.ts';

let open: OpenDatabase;
beforeAll(async () => {
  open = await openDatabase();
});
afterAll(() => open?.close());

it('ends a statement at the limit that it was given, and gives the usual limit back', async () => {
  const limitOf = async () => {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(
      open.database,
    );
    return rows[0]?.statement_timeout;
  };
  const sleeping = withStatementTimeout(open.database, 100, (database) =>
    sql`select pg_sleep(30)`.execute(database),
  );
  await expect(sleeping).rejects.toMatchObject({ code: '57014' });
  expect(await limitOf()).toBe('10s');
});
