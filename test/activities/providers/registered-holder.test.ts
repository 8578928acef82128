import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  countUnpaidAccounts,
  listAccountChecks,
} from '../../../src/db/catalogue/payout-accounts.ts';
import type { AccountAnswer } from '../../../src/providers/mobile-money/mobile-money.ts';
import { notSent, openTwoProviders, type TwoProviders } from './two-providers.ts';

/** Of two providers, only one can be asked who holds an account. */
let two: TwoProviders;

beforeAll(async () => {
  two = await openTwoProviders();
});
afterAll(() => two?.scene.close());
beforeEach(() => two.reset());

describe('a payment to a registered holder', () => {
  const register = async (holder: string | null) => {
    const id = sql<number>`(select max(id) from merchant_payout_accounts)`;
    const { database } = two.scene;
    await database.deleteFrom('payout_account_checks').execute();
    await database
      .updateTable('merchant_payout_accounts')
      .set({ holder_name: holder })
      .where('id', '=', id)
      .execute();
    return (provider: 'gsma' | 'mpesa', by: string | null = holder) =>
      database
        .insertInto('payout_account_checks')
        .values({
          payout_account_id: id,
          provider,
          state: 'open',
          holder_name: by,
          checked_at: new Date(),
        })
        .execute();
  };
  afterEach(() => register(null));

  it.each<[string, AccountAnswer | undefined]>([
    ['does not answer', { kind: 'unknown', message: 'no answer' }],
    ['does not offer the question', { kind: 'not-offered' }],
    ['tells no name', { kind: 'open', holder: null }],
    ['cannot be asked', undefined],
  ])('of an account that the first %s about goes to nobody', async (_, account) => {
    const operationId = await two.hold();
    await register('Abebe Kebede');
    two.account = account;
    expect(await two.pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(two.asked).toEqual([]);
  });

  it('goes to the second where an operator has confirmed the account there', async () => {
    const operationId = await two.hold();
    const confirmAt = await register('Abebe Kebede');
    two.account = { kind: 'unknown', message: 'no answer' };
    await confirmAt('mpesa');
    expect(await two.pay(operationId)).toMatchObject({ kind: 'delivered' });
    expect(two.asked).toEqual(['second send']);
  });

  it('goes to the first that confirms it, and not to the second after that', async () => {
    const operationId = await two.hold();
    await register('Abebe Kebede');
    two.account = { kind: 'open', holder: 'ABEBE KEBEDE' };
    two.answers.first = () => notSent;
    expect(await two.pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(two.asked).toEqual(['first send']);
  });

  it('is refused before the hold where no provider can confirm the holder', async () => {
    const confirmAt = await register('Abebe Kebede');
    expect(await two.hold()).toBe('payout-account-missing');
    const shown = async () =>
      (await listAccountChecks(two.scene.database)).map(({ provider, state }) => [provider, state]);
    expect(await shown()).toEqual([['gsma', 'not-offered']]);
    const { database } = two.scene;
    const unpaid = () => countUnpaidAccounts(database, 'gsma');
    expect(await unpaid()).toEqual([{ provider: 'gsma', state: 'not-offered', count: 1 }]);
    // Confirmed at one provider, the account is paid, whatever the other does not tell.
    await confirmAt('mpesa');
    expect(await unpaid()).toEqual([]);
    // But not where no route leads to that one.
    const toMpesa = (is_enabled: boolean) =>
      database
        .updateTable('provider_routes')
        .set({ is_enabled })
        .where('provider', '=', 'mpesa')
        .execute();
    await toMpesa(false);
    expect(await unpaid()).toEqual([{ provider: 'gsma', state: 'not-offered', count: 1 }]);
    expect(await two.hold()).toBe('payout-account-missing');
    await toMpesa(true);
    await database.deleteFrom('payout_account_checks').execute();
    await confirmAt('gsma', null);
    expect(await shown()).toEqual([['gsma', 'not-offered']]);
    expect(await two.hold()).toBe('payout-account-missing');
    await database.deleteFrom('payout_account_checks').execute();
    await confirmAt('gsma');
    expect(await two.hold()).toMatch(/^[0-9a-f]{32}$/);
  });
});
