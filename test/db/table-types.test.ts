import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tableTypes, tableTypesFile } from '../../docs/generate/table-types.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';

let opened: OpenDatabase;

beforeAll(async () => {
  opened = await openDatabase();
});
afterAll(() => opened.close());

test(`${tableTypesFile} is as "npm run docs" writes it`, async () => {
  expect(readFileSync(tableTypesFile, 'utf8')).toBe(await tableTypes(opened.database));
});
