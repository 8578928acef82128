import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAccount, type PortalClient, signedIn } from '../../pages/portal/portal-client.ts';
import { type Answer, partnerClient, type RawPartner } from '../../support/clients.ts';
import { makeMerchant, makePartner, type TestPartner } from '../../support/companies.ts';
import { untilBlocked } from '../../support/database-locks.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { done, GENERATE } from '../gift/gift-scene.ts';

/** What one partner asks of lists keeps neither money nor other partners' lists waiting. */
const HANGING = '/merchant-categories';
const BURST = 40;

let stack: Stack;
let greedy: RawPartner;
let other: RawPartner;
let otherPartner: TestPartner;
let merchantId: number;
let atPortal: PortalClient;

beforeAll(async () => {
  // Two of the connections are for lists, so that each partner has one of them at most.
  stack = await startStack({
    DATABASE_POOL_SIZE: '8',
    LIST_WAIT_SECONDS: '1',
    LIST_TIMEOUT_SECONDS: '5',
  });
  otherPartner = await makePartner(stack);
  const greedyPartner = await makePartner(stack);
  greedy = await partnerClient(stack, greedyPartner);
  atPortal = await signedIn(
    stack,
    await makeAccount(stack, { kind: 'partner', id: greedyPartner.id }),
  );
  other = await partnerClient(stack, otherPartner);
  merchantId = (await makeMerchant(stack)).id;
});
afterAll(() => stack?.stop());

/** Lets one partner ask for lists that hang, and does something else meanwhile. */
async function whileListsHang(meanwhile: () => Promise<void>): Promise<Answer[]> {
  const { answers } = await stack.database.transaction().execute(async (transaction) => {
    await sql`lock table merchant_categories in access exclusive mode`.execute(transaction);
    const asked = Array.from({ length: BURST }, (_, index) =>
      greedy.get(`${HANGING}?search=text${index}`),
    );
    await untilBlocked(stack.database);
    await meanwhile();
    // In an object, so that they are not awaited here; they end although the lock is still held.
    return { answers: await Promise.all(asked) };
  });
  return answers;
}

describe('lists of one partner that hang', () => {
  test('leave no more places to the same company in the portal', async () => {
    await whileListsHang(async () => {
      expect((await atPortal.get('/portal/vouchers')).status).toBe(503);
    });
    expect((await atPortal.get('/portal/vouchers')).status).toBe(200);
  });

  test('keep no money waiting, nor the lists of others; they end with 503', async () => {
    const answers = await whileListsHang(async () => {
      expect((await other.get('/info/get-current-balance')).status).toBe(200);
      expect((await greedy.get('/info/get-current-balance')).status).toBe(200);
      done(
        await other.post(GENERATE, {
          denominationId: otherPartner.denominations[100],
          merchantId,
          msisdn: null,
        }),
      );
      expect((await other.get('/gift-denominations')).status).toBe(200);
    });
    for (const { status, headers, body } of answers) {
      expect([status, body.success, body.statusCode]).toEqual([503, false, 503]);
      expect(headers.get('Retry-After')).toBe('1');
    }
    expect((await greedy.get(HANGING)).status).toBe(200);
  });
});
