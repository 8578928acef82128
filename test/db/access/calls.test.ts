import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AdmittedCall,
  addAdmittedCalls,
  addRefusedCalls,
  listCalls,
  listRefusedCalls,
  type RefusedCall,
} from '../../../src/db/access/calls.ts';
import { listApiKeys } from '../../../src/db/access/company-access.ts';
import { addApiKey, addPartner } from '../../../src/db/catalogue/companies.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { prune } from '../prune.ts';

let open: OpenDatabase;
beforeAll(async () => {
  open = await openDatabase();
});
afterAll(() => open?.close());

const START = Date.parse('2026-11-21T12:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);

async function makeCaller(): Promise<{ company: Company; apiKeyId: number; prefix: string }> {
  const company: Company = { kind: 'partner', id: await addPartner(open.database, 'Caller') };
  const prefix = `gvs_test_${randomUUID().slice(0, 3)}`;
  const digest = Buffer.from(randomUUID());
  const apiKeyId = await addApiKey(open.database, company, { name: 'Key', prefix, digest });
  return { company, apiKeyId, prefix };
}

const call = {
  surface: 'partner',
  method: 'GET',
  route: '/api/v1/client/test',
  sourceAddress: '203.0.113.7',
  requestId: 'request',
};
const admitted = (of: { company: Company; apiKeyId: number }, seconds: number): AdmittedCall => ({
  ...call,
  company: of.company,
  apiKeyId: of.apiKeyId,
  at: at(seconds),
  sourceAddress: `203.0.113.${seconds}`,
  statusCode: 200,
});
const refused = (extras: Partial<RefusedCall>): RefusedCall => ({
  ...call,
  at: at(0),
  apiKeyId: null,
  company: null,
  reason: 'token-invalid',
  keyPrefix: null,
  leftOut: 0,
  ...extras,
});

test('a company sees its newest calls, let in and refused, and nobody else’s', async () => {
  const caller = await makeCaller();
  const other = await makeCaller();
  const wrongField = {
    ...admitted(caller, 1),
    statusCode: 400,
    detail: 'amount: must be a number',
  };
  await addAdmittedCalls(open.database, [wrongField, admitted(other, 2)]);
  await addRefusedCalls(open.database, [
    refused({
      company: caller.company,
      apiKeyId: caller.apiKeyId,
      at: at(3),
      leftOut: 4,
      reason: 'signature-invalid',
      detail: 'An empty body was signed',
    }),
    refused({ at: at(4), keyPrefix: 'gvs_test_abc' }),
  ]);
  const shared = {
    surface: 'partner',
    method: 'GET',
    route: '/api/v1/client/test',
    keyPrefix: caller.prefix,
    requestId: 'request',
  };
  expect(await listCalls(open.database, caller.company, 10)).toEqual([
    {
      ...shared,
      at: at(3),
      admitted: false,
      statusCode: null,
      reason: 'signature-invalid',
      detail: 'An empty body was signed',
      sourceAddress: '203.0.113.7',
      leftOut: 4,
    },
    {
      ...shared,
      at: at(1),
      admitted: true,
      statusCode: 400,
      reason: null,
      detail: 'amount: must be a number',
      sourceAddress: '203.0.113.1',
      leftOut: 0,
    },
  ]);
  const unknown = await listRefusedCalls(open.database, { limit: 1 });
  expect(unknown).toEqual([
    expect.objectContaining({ companyId: null, keyPrefix: 'gvs_test_abc', leftOut: 0 }),
  ]);
});

test('only the newest calls that were let in are kept, of each company', async () => {
  const busy = await makeCaller();
  const quiet = await makeCaller();
  await addAdmittedCalls(open.database, [admitted(quiet, 0)]);
  for (const batch of [0, 1])
    await addAdmittedCalls(
      open.database,
      Array.from({ length: 15 }, (_, index) => admitted(busy, batch * 15 + index)),
    );
  const kept = await listCalls(open.database, busy.company, 100);
  expect(kept.map((row) => row.sourceAddress)).toEqual(
    Array.from({ length: 20 }, (_, index) => `203.0.113.${29 - index}`),
  );
  expect(await listCalls(open.database, quiet.company, 100)).toHaveLength(1);
});

test('a key says when and from where it was last used; an older call changes nothing', async () => {
  const caller = await makeCaller();
  const lastUse = async () => {
    const [key] = await listApiKeys(open.database, caller.company);
    return [key?.lastUsedAt, key?.lastUsedAddress];
  };
  expect(await lastUse()).toEqual([null, null]);
  await addAdmittedCalls(open.database, [admitted(caller, 5), admitted(caller, 9)]);
  await addAdmittedCalls(open.database, [admitted(caller, 7)]);
  expect(await lastUse()).toEqual([at(9), '203.0.113.9']);
});

test('refused calls cannot be changed, and not removed before 90 days have passed', async () => {
  const { database } = open;
  await addRefusedCalls(database, [refused({ requestId: 'new', at: new Date() })]);
  await addRefusedCalls(database, [
    refused({ requestId: 'old', at: new Date(Date.now() - 91 * 86_400_000) }),
  ]);
  const statement = (text: string) => sql.raw(text).execute(database);
  await expect(statement(`update refused_calls set reason = 'x'`)).rejects.toThrow(/only ever/);
  await expect(statement('truncate refused_calls')).rejects.toThrow(/only ever/);
  await expect(statement(`delete from refused_calls where request_id = 'new'`)).rejects.toThrow(
    /90 days/,
  );
  await prune(database, 'refused calls');
  const left = await listRefusedCalls(database, { limit: 100 });
  expect(left.map(({ requestId }) => requestId)).toContain('new');
  expect(left.map(({ requestId }) => requestId)).not.toContain('old');
});
