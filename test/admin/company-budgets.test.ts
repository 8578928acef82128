import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countCompanyMessage, countCompanyWrongCode } from '../../src/db/limits/daily-limits.ts';
import type { Company } from '../../src/domain/vouchers/voucher.ts';
import { prune } from '../db/prune.ts';
import { type AdminScene, openScene } from './scene.ts';

let scene: AdminScene;
let partner: Company;
beforeAll(async () => {
  scene = await openScene();
  const { id } = await scene.json('partner create --name Seller');
  partner = { kind: 'partner', id };
});
afterAll(() => scene?.close());

const count = (what: typeof countCompanyMessage | typeof countCompanyWrongCode, budget: number) =>
  scene.database.transaction().execute((transaction) => what(transaction, partner, budget));

const budgets = () =>
  scene.database
    .selectFrom('partners')
    .select(['messages_per_day', 'wrong_codes_per_day'])
    .where('id', '=', partner.id)
    .executeTakeFirstOrThrow();

test('budgets of a company are set and go back to the settings, and both are audited', async () => {
  await scene.json(`access budget set --partner ${partner.id} --messages 20000 --wrong-codes 500`);
  expect(await budgets()).toEqual({ messages_per_day: 20_000, wrong_codes_per_day: 500 });
  const again = await scene.admin(`access budget set --partner ${partner.id} --messages 20000`);
  expect(again.out).toContain('No change');
  await scene.json(`access budget set --partner ${partner.id} --messages default`);
  expect(await budgets()).toEqual({ messages_per_day: null, wrong_codes_per_day: 500 });
  const audited = (await scene.auditRows()).filter(({ action }) => action === 'set budgets');
  expect(audited.map(({ details }) => details)).toEqual([
    {
      changes: {
        messagesPerDay: { from: null, to: 20_000 },
        wrongCodesPerDay: { from: null, to: 500 },
      },
    },
    { changes: { messagesPerDay: { from: 20_000, to: null } } },
  ]);
});

test.each([
  ['--messages 0', 'messages must be a whole number from 1'],
  ['--messages none', 'messages must be a whole number from 1'],
  ['', 'There is nothing to change'],
])('budgets are not set by "%s"', async (words, problem) => {
  const before = await budgets();
  const { code, err } = await scene.admin(
    `access budget set --partner ${partner.id} ${words}`.trim(),
  );
  expect([code, err]).toEqual([1, expect.stringContaining(problem)]);
  expect(await budgets()).toEqual(before);
});

test('a budget of messages that was lowered below what was counted raises its alarm once', async () => {
  const { id } = await scene.json('partner create --name Overspent');
  const message = (budget: number) =>
    scene.database
      .transaction()
      .execute((transaction) => countCompanyMessage(transaction, { kind: 'partner', id }, budget));
  expect([await message(10), await message(10)]).toEqual([
    { isWithin: true, isLast: false },
    { isWithin: true, isLast: false },
  ]);
  expect([await message(1), await message(1)]).toEqual([
    { isWithin: false, isLast: true },
    { isWithin: false, isLast: false },
  ]);
  const alarms = await scene.json('access budget list');
  expect(alarms).toMatchObject([
    { companyId: id, messages: 2, messagesSpentAt: expect.anything() },
  ]);
  await sql`delete from company_daily_counts where company_id = ${id}`.execute(scene.database);
});

test('a budget of wrong codes that was lowered below what was counted raises its alarm once', async () => {
  const { id } = await scene.json('partner create --name Lowered');
  const wrongCode = (budget: number) =>
    scene.database
      .transaction()
      .execute((transaction) =>
        countCompanyWrongCode(transaction, { kind: 'partner', id }, budget),
      );
  expect([await wrongCode(10), await wrongCode(10)]).toEqual([
    { isLast: false },
    { isLast: false },
  ]);
  expect([await wrongCode(2), await wrongCode(2)]).toEqual([{ isLast: true }, { isLast: false }]);
  await sql`delete from company_daily_counts where company_id = ${id}`.execute(scene.database);
});

test('alarms are listed from the moment that a budget is reached', async () => {
  expect(await scene.json('access budget list')).toEqual([]);
  expect(await count(countCompanyMessage, 2)).toEqual({ isWithin: true, isLast: false });
  expect(await scene.json('access budget list')).toEqual([]);
  expect(await count(countCompanyMessage, 2)).toEqual({ isWithin: true, isLast: true });
  expect(await count(countCompanyMessage, 2)).toEqual({ isWithin: false, isLast: false });
  expect(await count(countCompanyWrongCode, 1)).toEqual({ isLast: true });
  expect(await count(countCompanyWrongCode, 1)).toEqual({ isLast: false });
  const [alarm, ...others] = await scene.json('access budget list');
  expect(others).toEqual([]);
  expect(alarm).toMatchObject({
    companyKind: 'partner',
    companyId: partner.id,
    companyName: 'Seller',
    messages: 2,
    messagesSpentAt: expect.stringMatching(/^20/),
    wrongCodes: 2,
    wrongCodesSpentAt: expect.stringMatching(/^20/),
  });
  const { out } = await scene.admin('access budget list');
  expect(out).toMatch(new RegExp(`partner ${partner.id} +Seller`));
});

test('counts are kept for thirty days', async () => {
  const kind = 'daily counts of companies';
  const move = (days: number) =>
    sql`update company_daily_counts set day = (now() at time zone 'UTC')::date - ${days}::int`.execute(
      scene.database,
    );
  await move(30);
  expect(await prune(scene.database, kind)).toBe(0);
  await move(31);
  expect(await prune(scene.database, kind)).toBe(1);
});
