import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repairsToStart } from '../../../src/db/repairs/repair-lists.ts';
import { type AdminScene, openScene } from '../../admin/scene.ts';

let scene: AdminScene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const add = (name: string, state: 'READY' | 'RUNNING', count = 1) =>
  sql`
    insert into repairs (operation_id, request_key, kind, subject_kind, subject_id, company_kind,
      company_id, arguments, amount, moves_value, why, asked_by, needs_confirmation,
      confirm_until, state, changed_at)
    select ${name}::text || number, ${name}::text || number, 'settle-payment', 'redemption',
      ${name}::text || number, 'partner', 1, '{}', 0, false, 'TICKET-1', 'hanna', false, now(), ${state},
      now() - interval '1 hour'
    from generate_series(1, ${count}::int) as number`.execute(scene.database);

it('a new repair waits for none of those that are under way', async () => {
  await add('waits-for-its-provider-', 'RUNNING', 5);
  await add('new-', 'READY');
  const names = async (limit: number) =>
    (await repairsToStart(scene.database, limit)).map(({ operationId }) => operationId);
  expect(await names(3)).toEqual(['new-1', 'waits-for-its-provider-1', 'waits-for-its-provider-2']);
  expect(await names(100)).toHaveLength(6);
});
