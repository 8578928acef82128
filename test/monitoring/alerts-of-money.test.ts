import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAccountChecks, recordAccountCheck } from '../../src/db/catalogue/payout-accounts.ts';
import { reconcileId } from '../../workflows/workflow-ids.ts';
import { REDEEM } from '../end-to-end/gift/gift-scene.ts';
import { makeMerchant } from '../support/companies.ts';
import { until } from '../support/until.ts';
import { alertProofs } from './alert-proofs.ts';
import { type MonitoredScene, setMonitoredScene } from './monitored-scene.ts';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.ts';

const { allHaveFired, expectAlert, expectAlerts, expectNoAlert } = alertProofs('alerts-of-money');

let scene: MonitoredScene;
beforeAll(async () => {
  await findPromtool();
  scene = await setMonitoredScene();
}, PROMTOOL_LIMIT_MS);
afterAll(() => scene?.gifts.stop());

describe('the money', () => {
  test('a payment whose outcome the provider does not tell', async () => {
    const payee = await makeMerchant(scene.gifts.stack, { payoutSuffix: '014' });
    const { voucherCode } = await scene.gifts.gift({ owner: null, merchant: payee });
    void scene.gifts.asPartner.post(REDEEM, { voucherCode });
    await until(async () => {
      if (!(await scene.value('oldest_hold_seconds', { kind: 'payment' })))
        throw new Error('No hold');
      if (!(await scene.value('needs_action'))) throw new Error('No person is needed');
    });
    const later = await scene.during(async () => {});
    await scene.gifts.settlePayout(payee, 'completed');
    await until(async () => {
      if (await scene.value('needs_action')) throw new Error('A person is needed');
    });
    await expectAlerts(later, 70, ['MoneyOnHoldTooLong', 'PersonNeeded']);
  });

  test('a wallet below its threshold', async () => {
    const setThreshold = (threshold: string | null) =>
      sql`update ledger_accounts set low_balance = ${threshold}::numeric
        where kind = 'gift' and partner_id = ${scene.gifts.partner.id}`.execute(
        scene.gifts.stack.database,
      );
    const low = await scene.during(() => setThreshold('99999999'));
    await setThreshold(null);
    await expectAlerts(low, 10, ['WalletsLow']);
  });
});

test('a merchant whose payout account is refused, until it has another one', async () => {
  const refused = await scene.during(() => scene.redeemAt('026'));
  await sql`update merchant_payout_accounts set replaced_at = now()
    where id in (select payout_account_id from payout_account_checks where state = 'closed')`.execute(
    scene.gifts.stack.database,
  );
  const replaced = await scene.during(async () => {});
  await expectAlert(refused, 10, 'PayoutAccountsRefused');
  await expectNoAlert(replaced, 10, 'PayoutAccountsRefused');
});

test('a merchant whose registered holder nobody has confirmed, until an operator does', async () => {
  const count = () =>
    scene.value('payout_accounts_refused', { provider: 'gsma', state: 'not-offered' });
  const unconfirmed = await scene.during(() => scene.redeemAt('031', 'Abebe Kebede'));
  expect(await count()).toBe(1);
  const { database } = scene.gifts.stack;
  const [account] = await listAccountChecks(database, { unpaidWithDefault: 'gsma' });
  const accountId = account?.accountId ?? 0;
  await recordAccountCheck(database, {
    accountId,
    provider: 'gsma',
    state: 'open',
    holder: 'Abebe Kebede',
  });
  const confirmed = await scene.during(async () => {});
  expect(await count()).toBe(0);
  await expectAlert(unconfirmed, 10, 'PayoutAccountsRefused');
  await expectNoAlert(confirmed, 10, 'PayoutAccountsRefused');
});

// The last one: its case stays open until the books are checked again.
test('books that do not agree', async () => {
  const { client } = scene.gifts.stack.temporal;
  const { temporalTaskQueue: taskQueue } = scene.gifts.stack.config.temporal;
  const schedule = client.schedule.getHandle(reconcileId(taskQueue));
  const untilLast = (result: 0 | 1) =>
    until(async () => {
      const last = await scene.value('schedule_last_run_succeeded', { schedule: 'reconciliation' });
      if (last !== result) throw new Error(`The last run is ${last}`);
    });
  const runTo = async (result: 0 | 1) => {
    await schedule.trigger();
    await untilLast(result);
  };
  const gift = await scene.gifts.gift();
  const setAmount = (amount: string) =>
    sql`update vouchers set remaining = ${amount} where id = ${gift.id}`.execute(
      scene.gifts.stack.database,
    );
  await setAmount('99');
  const broken = await scene.during(() => runTo(0));
  await setAmount('100');
  await runTo(1);
  await expectAlert(broken, 5, 'BooksDoNotAgree');
  // A run that has gone on in another one, under its id, ends as that does.
  const { recentActions } = (await schedule.describe()).info;
  const workflowId = recentActions.at(-1)?.action.workflow.workflowId ?? '';
  await setAmount('99');
  await client.workflow.start('reconcile', { workflowId, taskQueue });
  await untilLast(0);
  await setAmount('100');
  await runTo(1);
});

allHaveFired();
