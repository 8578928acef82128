import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareBooks, lostPaymentOf } from '../../src/admin/compare-books.ts';
import { lostOperationId } from '../../src/db/positions/orders.ts';
import { currentPlacement } from '../../src/db/positions/placements.ts';
import { bookLost } from '../../src/db/recovery.ts';
import { placingReversal } from '../../src/db/vouchers/reversals.ts';
import type { ProviderStatementLine } from '../../src/domain/positions/statement-line.ts';
import type { ProviderAccount } from '../../src/providers/statement.ts';
import { shownFacts } from '../positions/cases.ts';
import { observe, placementsOf, reverse } from '../positions/placements.ts';
import { setOfOne } from '../providers/set-of-one.ts';
import { makeVoucher, redemptions } from './movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeCatalogue,
  makeFundedCatalogue,
  openScene,
} from './scene.ts';

/** What operators do with a restored database, as far as it needs no provider. */
let scene: AdminScene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

test('the restored moment is that of the newest request, whatever was booked since', async () => {
  const { id } = await scene.json('partner create --name Early');
  const requestedAt = '2026-11-23T10:00:00.000Z';
  await sql`
    insert into operations (id, created_at, company_kind, company_id, kind, request_id, request_digest,
      status, outcome, settled_at)
    values ('a', ${requestedAt}, 'partner', ${id}::bigint, 'generate-voucher', gen_random_uuid(), 'digest',
      'REFUSED', '{}', now())`.execute(scene.database);
  await scene.json(`money deposit --partner ${id} --wallet gift --amount 100`);
  expect(await scene.json('recovery fence')).toMatchObject({ restoredTo: requestedAt });
  await scene.json('recovery lift --unbooked --why checked');
  // A later moment is a mistake, such as one of another time zone.
  expect(await scene.json('recovery fence --restored-to 2026-11-23T13:00:00Z')).toMatchObject({
    restoredTo: requestedAt,
  });
  await scene.json('recovery lift --unbooked --why checked');
});

test('the fence of an earlier recovery, in a database that was restored again, is replaced', async () => {
  const fenceOf = async () => (await scene.json('recovery status')).fence;
  const newest = async () =>
    Number(
      (
        await sql<{ last: number }>`select last_value as last from event_numbers`.execute(
          scene.database,
        )
      ).rows[0]?.last,
    );
  await scene.json('recovery fence --restored-to 2026-11-22T10:00:00Z');
  // As "recovery book" leaves it.
  await sql`update maintenance_fences set booked_at = now() where state = 'MAINTENANCE'`.execute(
    scene.database,
  );
  const before = { fence: await fenceOf(), newest: await newest() };
  expect(await scene.json('recovery fence')).toMatchObject({ changed: false });
  expect(await scene.json('recovery fence --restored-to 2026-11-23T10:00:00Z')).toMatchObject({
    changed: true,
    restoredTo: '2026-11-22T10:00:00.000Z',
  });
  const after = await fenceOf();
  expect(after.id).not.toBe(before.fence.id);
  expect(after.bookedAt).toBeNull();
  expect(await newest()).toBeGreaterThan(before.newest);
  expect((await scene.admin('recovery lift --why early')).err).toContain('recovery book');
  await scene.json('recovery lift --unbooked --why checked');
});

test('the fence ends sessions and links, which may have ended after the restored moment', async () => {
  const { merchantId } = await makeCatalogue(scene);
  const account = `--email ${randomUUID()}@till.example --merchant ${merchantId}`;
  await scene.json(`access account create ${account}`);
  await scene.json(`merchant invite ${merchantId}`);
  for (const table of ['portal_sessions', 'portal_half_sign_ins'])
    await sql`
      insert into ${sql.table(table)} (account_id, token_digest)
      select id, ${Buffer.from(table)} from portal_accounts`.execute(scene.database);
  expect(await scene.json('recovery fence')).toMatchObject({
    endedSessions: 1,
    endedInvitations: 1,
  });
  const { rows } = await sql`
    select from portal_sessions union all select from portal_half_sign_ins
    union all select from merchant_invitations where status in ('REQUESTED', 'OPEN')`.execute(
    scene.database,
  );
  expect(rows).toEqual([]);
  await scene.json('recovery lift --unbooked --why checked');
});

test('a lost payment is settled as it was shown, by a partner whose id is one of those after a restore', async () => {
  await scene.json('recovery fence');
  const { id } = await scene.json('partner create --name Later');
  expect(id).toBeGreaterThan(1_000_000_000);
  await scene.database.transaction().execute((transaction) =>
    bookLost(
      transaction,
      {
        kind: 'payment',
        provider: 'gsma',
        reference: randomUUID(),
        amount: '97.5',
        at: new Date(),
        providerReference: 'MM-1',
        party: null,
        serialNumber: null,
      },
      { reversalWatchSeconds: 0 },
    ),
  );
  const [lost] = await scene.json('cases list');
  const facts = await shownFacts(scene, lost.id);
  const settle = `cases settle ${lost.id} --by partner ${facts} --why agreed --partner`;
  expect((await scene.admin(`${settle} 0`)).err).toContain('--partner must be an id');
  const shown = await scene.admin(`cases show ${lost.id}`);
  // It can be copied as it stands.
  expect(shown.out).toMatch(/^--by partner --facts amount=97\.500000,said=none {2}\w/m);
  // The provider says meanwhile that it did another amount.
  await scene.database
    .transaction()
    .execute((transaction) =>
      observe(transaction, lostOperationId(lost.reference), { said: 'done', amount: 40_000_000n }),
    );
  expect((await scene.admin(`${settle} ${id}`)).err).toContain('It has changed meanwhile');
  const unseen = `cases settle ${lost.id} --by partner --why agreed --partner ${id}`;
  expect((await scene.admin(unseen)).err).toContain(`"cases show ${lost.id}"`);
  const settled = await scene.json(`${unseen} ${await shownFacts(scene, lost.id)}`);
  expect(settled).toMatchObject({ isNew: true });
});

const payment = (reference: string): ProviderStatementLine => ({
  kind: 'payment',
  reference,
  providerReference: 'MM-7',
  status: 'completed',
  amount: '97.5',
  currency: 'ETB',
  fee: null,
  feeCurrency: null,
  at: new Date(),
});

/** The payments that a provider lists, as they stand in our books. */
async function compared(...lines: readonly ProviderStatementLine[]) {
  const listing = (rows: readonly ProviderStatementLine[]): ProviderAccount => ({
    async *listStatement() {
      yield { kind: 'page', rows };
    },
  });
  const providers = {
    mobileMoney: setOfOne('gsma', listing(lines)),
    airtime: setOfOne('dt-one', listing([])),
  };
  return (await compareBooks(scene.database, providers, { since: new Date(0) })).comparisons;
}

test.each([
  ['as a whole', { amount: '97.5' }, 'agrees'],
  ['without an amount', { amount: null }, 'agrees'],
  ['in part', { amount: '10' }, 'lost'],
  ['in the future', { amount: '97.5', status: 'pending' }, 'lost'],
  ['of another payment', { amount: '97.5', originalReference: 'MM-0' }, 'lost'],
] as const)('a lost payment that its provider took back %s', async (_how, taken, verdict) => {
  const lost = payment(randomUUID());
  const reversal = {
    ...lost,
    kind: 'reversal',
    reference: null,
    providerReference: 'MM-8',
    originalReference: 'MM-7',
    ...taken,
  } as const;
  const { reference } = lost;
  expect(await compared(reversal, lost)).toMatchObject([{ reference, verdict }]);
});

test('a lost payment in another currency is not passed over: a person books it', async () => {
  const [lost] = await compared({ ...payment(randomUUID()), currency: 'USD' });
  expect(lost).toMatchObject({ verdict: 'lost' });
  if (lost) expect(await lostPaymentOf(scene.database, lost)).toBeUndefined();
});

describe('a payment of our books', () => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await makeFundedCatalogue(scene);
  });

  test.each([
    ['as we have it', {}, 'agrees'],
    ['by its own reference alone', { reference: null }, 'agrees'],
    ['with another amount', { amount: '487.51' }, 'differs'],
    ['in another currency', { currency: 'USD' }, 'differs'],
    ['as taken back', { status: 'reversed' }, 'differs'],
    ['as failed', { status: 'failed' }, 'differs'],
  ] as const)('that its provider lists %s', async (_how, listed, verdict) => {
    const { line } = await paid();
    const { reference } = line;
    expect(await compared({ ...line, ...listed })).toMatchObject([{ reference, verdict }]);
  });

  test('that its merchant has paid back is listed as taken back, and nobody is asked', async () => {
    const { operationId, line } = await paid();
    await placingReversal(randomUUID(), currentPlacement(sql`${operationId}`)).execute(
      scene.database,
    );
    await reverse(scene.database, operationId);
    expect(await compared({ ...line, status: 'reversed' })).toMatchObject([{ verdict: 'agrees' }]);
  });

  /** A payment of 487.50, as its provider would list it. */
  async function paid() {
    const redeem = redemptions(scene.database, catalogue);
    const operationId = await redeem.hold((await makeVoucher(scene.database, catalogue)).id);
    await redeem.post(operationId);
    const [placement] = await placementsOf(scene.database, operationId);
    const reference = placement?.reference ?? '';
    const providerReference = placement?.provider_reference ?? '';
    return { operationId, line: { ...payment(reference), providerReference, amount: '487.5' } };
  }
});
