import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  currentPayoutAccounts,
  recordAccountCheck,
} from '../../../src/db/catalogue/payout-accounts.ts';
import { checkPayoutAccountId } from '../../../workflows/workflow-ids.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import type { TestMerchant } from '../../support/companies.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { staffClient } from './staff-client.ts';

/** Merchants that are not paid, at /support, with the rights of each role of the database. */
let scene: RedemptionScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let operator: Awaited<ReturnType<typeof staffClient>>;

beforeAll(async () => {
  scene = await setRedemptionScene({});
  agent = await staffClient(scene.stack, 'AGENT');
  operator = await staffClient(scene.stack, 'OPERATOR');
});
afterAll(() => scene?.stop());

const PATH = '/support/payout-accounts';
const pathOf = ({ id }: TestMerchant) => `${PATH}/${id}/ask`;
const listed = async (person = agent) => (await person.client.get(PATH)).html;
const askAgain = (merchant: TestMerchant) => agent.client.submit(PATH, pathOf(merchant));

/** A merchant whose account was refused, whatever its provider says now. */
async function refused(payoutSuffix: string, holder?: string): Promise<TestMerchant> {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
  await redeem(client, await scene.gift({ merchant, owner: null }));
  await sql`
    insert into payout_account_checks (payout_account_id, provider, state, holder_name)
    select id, 'gsma', ${holder === undefined ? 'closed' : 'name-differs'}, ${holder ?? null}
    from merchant_payout_accounts where merchant_id = ${merchant.id} and replaced_at is null
    on conflict (payout_account_id, provider)
    do update set state = excluded.state, holder_name = excluded.holder_name`.execute(
    scene.stack.database,
  );
  return merchant;
}

it('lists who is not paid and what to do, and names strangers to operators alone', async () => {
  expect(await listed()).toContain('No account is refused');
  const { merchant: paid, client } = await scene.payee('merchant');
  await redeem(client, await scene.gift({ merchant: paid, owner: null }));
  const closed = await refused('026');
  const stranger = await refused('000', 'Chaltu Bekele');
  const html = await listed();
  for (const merchant of [closed, stranger]) expect(html).toContain(`action="${pathOf(merchant)}"`);
  expect(html).not.toContain(pathOf(paid));
  expect(html).toContain('not paid: ask the merchant for its account');
  expect(html).not.toContain(closed.payoutNumber);
  expect(html).not.toContain('Chaltu');
  expect(await listed(operator)).toContain('Chaltu Bekele');
});

it('lists an account whose registered holder nobody has confirmed, until an operator does', async () => {
  const { database } = scene.stack;
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '031' });
  const gift = await scene.gift({ merchant, owner: null });
  await database
    .updateTable('merchant_payout_accounts')
    .set({ holder_name: 'Abebe Kebede' })
    .where('merchant_id', '=', merchant.id)
    .execute();
  expect((await redeem(client, gift)).body.statusCode).toBe(5031);
  const html = await listed();
  expect(html).toContain(pathOf(merchant));
  expect(html).toContain('find out who holds it, then run merchant payout-account confirm');
  await askAgain(merchant);
  expect(await listed()).toContain('The account still cannot be paid');
  const account = (await currentPayoutAccounts(database, [merchant.id])).get(merchant.id);
  const confirmed = { accountId: account?.id ?? 0, holder: 'Abebe Kebede' };
  await recordAccountCheck(database, { ...confirmed, provider: 'gsma', state: 'open' });
  expect(await listed()).not.toContain(pathOf(merchant));
  expect((await redeem(client, gift)).body.statusCode).toBe(200);
});

it('asks again: an account that is open now is paid and leaves the list', async () => {
  const merchant = await refused('000');
  const answer = await askAgain(merchant);
  expect(answer).toMatchObject({ status: 303, location: PATH });
  const html = await listed();
  expect(html).toContain('The account can be paid now');
  expect(html).not.toContain(pathOf(merchant));
  const id = checkPayoutAccountId(merchant.id, scene.stack.config.temporal.temporalTaskQueue);
  const handle = scene.stack.temporal.client.workflow.getHandle(id);
  expect(await detailsOf(handle)).toContain(
    `**Paid**: the payout account of merchant ${merchant.id}`,
  );
});

it('asks again, and the list keeps an account whose provider does not answer', async () => {
  const merchant = await refused('030');
  await askAgain(merchant);
  const html = await listed();
  expect(html).toContain('A provider has not answered');
  expect(html).toContain(pathOf(merchant));
});
