import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareBooks } from '../../src/admin/compare-books.ts';
import { lostOperationId } from '../../src/db/positions/orders.ts';
import { bookLost } from '../../src/db/recovery.ts';
import type { ProviderStatementLine } from '../../src/domain/positions/statement-line.ts';
import type { ProviderAccount } from '../../src/providers/statement.ts';
import { shownFacts } from '../positions/cases.ts';
import { observe } from '../positions/placements.ts';
import { setOfOne } from '../providers/set-of-one.ts';
import { type AdminScene, makeCatalogue, openScene } from './scene.ts';

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
        madeAt: new Date(),
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

test.each([
  ['as a whole', { amount: '97.5' }, 'agrees'],
  ['without an amount', { amount: null }, 'agrees'],
  ['in part', { amount: '10' }, 'lost'],
  ['in the future', { amount: '97.5', status: 'pending' }, 'lost'],
  ['of another payment', { amount: '97.5', originalReference: 'MM-0' }, 'lost'],
] as const)('a lost payment that its provider took back %s', async (_how, taken, verdict) => {
  const payment: ProviderStatementLine = {
    kind: 'payment',
    reference: randomUUID(),
    providerReference: 'MM-7',
    status: 'completed',
    amount: '97.5',
    currency: 'ETB',
    fee: null,
    feeCurrency: null,
    at: new Date(),
  };
  const reversal = {
    ...payment,
    kind: 'reversal',
    reference: null,
    providerReference: 'MM-8',
    originalReference: 'MM-7',
    ...taken,
  } as const;
  const listing = (lines: readonly ProviderStatementLine[]): ProviderAccount => ({
    async *listStatement() {
      yield { kind: 'page', rows: lines };
    },
  });
  const providers = {
    mobileMoney: setOfOne('gsma', listing([reversal, payment])),
    airtime: setOfOne('dt-one', listing([])),
  };
  const { comparisons } = await compareBooks(scene.database, providers, { since: new Date(0) });
  expect(comparisons).toMatchObject([{ reference: payment.reference, verdict }]);
});
