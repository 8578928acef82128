import { afterAll, beforeAll, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeCuttableDatabase } from './cuttable-database.ts';
import { expectAgreement } from './oracle.ts';
import { createStories, type Stories, type StoryName } from './stories.ts';

/**
 * PostgreSQL has committed, and the connection breaks before it can say so (F5): the service reads
 * again, by the operation, before it answers.
 */
let database: TestDatabase;
let way: Awaited<ReturnType<typeof makeCuttableDatabase>>;
let stack: Stack;
let stories: Stories;

beforeAll(async () => {
  database = await createTestDatabase();
  way = await makeCuttableDatabase(database.url);
  stack = await startStack({ DATABASE_URL: way.url, CALLER_WAIT_SECONDS: '8' });
  stories = await createStories(stack);
});
afterAll(async () => {
  await stack?.stop();
  await way?.close();
  await database?.drop();
});

const COMMIT = 'commit\0';

it.each<[StoryName, string, string]>([
  // One statement, committed by itself; its text goes out the first time that a connection runs it.
  ['generate', 'its only statement', 'insert into vouchers'],
  ['claim', 'the claim', COMMIT],
  ['redeem', 'some transaction', COMMIT],
  ['topup', 'the hold', COMMIT],
  ['retry', 'some transaction', COMMIT],
])('%s: the answer to the commit of %s is lost', async (story, _name, text) => {
  const lost = way.loseAnswerTo(text);
  await stories.stories[story]();
  await lost;
});

it.each([1, 2, 3, 4, 5, 6])('redeem: the answer to commit %i is lost', async (nth) => {
  const done = (async () => {
    for (let commits = 1; commits <= nth; commits += 1) await way.loseAnswerTo(COMMIT);
  })();
  await stories.stories.redeem();
  await done;
});

it('every operation was done once', async () => {
  await expectAgreement(stack, stories);
});
