import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addApiKey, addPartner } from '../../../src/db/catalogue/companies.ts';
import type { Database } from '../../../src/db/connection.ts';
import { createApiKeyLookup } from '../../../src/http/access/access-directory.ts';
import { type OpenDatabase, openDatabase } from '../../db/open-database.ts';

let open: OpenDatabase;
/** The same, counting what it is asked, and failing when that is wanted. */
let watched: Database;
let questions = 0;
let isBroken = false;
beforeAll(async () => {
  open = await openDatabase();
  watched = open.database.withPlugin({
    transformQuery({ node }) {
      questions += 1;
      if (isBroken) throw new Error('The database is away');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
});
afterAll(() => open?.close());

async function makeKey() {
  const id = await addPartner(open.database, 'Seller');
  const digest = randomBytes(32);
  const key = { name: 'Key', prefix: 'gvs_test_abc', digest };
  await addApiKey(open.database, { kind: 'partner', id }, key);
  return { id, digest };
}

test('of keys that are asked for at the same moment each gets its own, by one question', async () => {
  const lookUp = createApiKeyLookup(watched);
  const keys = await Promise.all(Array.from({ length: 5 }, makeKey));
  const asked = [...keys, ...keys, { id: undefined, digest: randomBytes(32) }];
  questions = 0;
  const found = await Promise.all(asked.map(({ digest }) => lookUp('partner', digest)));
  expect(found.map((key) => key?.company.id)).toEqual(asked.map(({ id }) => id));
  expect(questions).toBe(1);
});

test('a key of one kind of company opens nothing of the other', async () => {
  const lookUp = createApiKeyLookup(watched);
  const { id, digest } = await makeKey();
  const [ofPartner, ofMerchant] = await Promise.all([
    lookUp('partner', digest),
    lookUp('merchant', digest),
  ]);
  expect(ofPartner?.company.id).toBe(id);
  expect(ofMerchant).toBeUndefined();
});

test('what fails is told to all who asked, and the next ones ask anew', async () => {
  const lookUp = createApiKeyLookup(watched);
  const { id, digest } = await makeKey();
  isBroken = true;
  const failed = await Promise.allSettled([lookUp('partner', digest), lookUp('partner', digest)]);
  isBroken = false;
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await lookUp('partner', digest))?.company.id).toBe(id);
});
