import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type RecordedStatement,
  readStatements,
  statementsFile,
} from '../../harness/record-statements.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createGrownDatabase } from './grown-database.ts';
import { EXCEPTIONS_OF_SCHEDULES, wholeLooks } from './plans.ts';

/**
 * The plans of all statements that API and worker made in all tests before: `STATEMENTS_FILE` names the
 * file that these have written (docs/internals/testing.md).
 */
describe.skipIf(!statementsFile)('the statements of all tests', () => {
  let grown: TestDatabase;
  let client: pg.Client;
  let statements: readonly RecordedStatement[];

  beforeAll(async () => {
    grown = await createGrownDatabase();
    client = new pg.Client({ connectionString: grown.url });
    await client.connect();
    statements = readStatements(statementsFile ?? '');
  });
  afterAll(async () => {
    await client?.end();
    await grown?.drop();
  });

  test('look through no table that grows', async () => {
    expect(statements.length).toBeGreaterThan(400);
    const all = new Map(statements.map(({ text, values }) => [text, values]));
    expect(await wholeLooks(client, all, EXCEPTIONS_OF_SCHEDULES, { isBig: true })).toEqual([]);
  });

  test('nor do plans for all values, where they are prepared', async () => {
    const prepared = statements.filter(({ isPrepared }) => isPrepared);
    expect(prepared.length).toBeGreaterThan(300);
    const all = new Map(prepared.map(({ text, values }) => [text, values]));
    const options = { isGeneric: true };
    expect(await wholeLooks(client, all, EXCEPTIONS_OF_SCHEDULES, options)).toEqual([]);
  });
});
