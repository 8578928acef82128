import { expect } from 'vitest';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { deliveredOf, type Model, reservedOf } from './model.ts';
import { inEtb, type RealService } from './real-service.ts';

const fromModel = (model: Model) => ({
  walletBalance: model.airtime / 100,
  eMoneyWalletBalance: model.gift / 100,
  reservedBalance: reservedOf(model) / 100,
});

/** What a partner sees of its wallets. */
export async function compareWallets(model: Model, real: RealService): Promise<void> {
  const { body } = await real.asPartner.get('/info/get-current-balance');
  expect(body.data).toEqual(fromModel(model));
}

/** Everything, in the database and at the providers, at the end of a run. */
export async function compareAll(model: Model, real: RealService): Promise<void> {
  const { database, sandbox } = real.stack;
  await compareWallets(model, real);
  const { airtime, gift, reserved } = await partnerBalances(database, real.partner.id);
  expect([airtime, gift, reserved].map(Number)).toEqual([
    model.airtime / 100,
    model.gift / 100,
    reservedOf(model) / 100,
  ]);

  const rows = await database
    .selectFrom('vouchers')
    .select(['id', 'status', 'remaining', 'held'])
    .where('partner_id', '=', real.partner.id)
    .orderBy('id')
    .execute();
  expect(rows).toEqual(
    model.vouchers.map(({ status, remaining }, place) => ({
      id: real.vouchers[place]?.id,
      status,
      remaining: `${inEtb(remaining)}0000`,
      held: '0.000000',
    })),
  );

  const completed = (books: readonly { status: string; amount: string }[]) =>
    books
      .filter(({ status }) => status === 'completed')
      .reduce((cents, { amount }) => cents + Math.round(Number(amount) * 100), 0);
  const paid = real.merchants.map(({ payoutNumber }) =>
    completed(sandbox.books.payouts({ to: payoutNumber })),
  );
  expect(paid).toEqual(model.paid);
  const references = await database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .select('reference')
    .where('partner_id', '=', real.partner.id)
    .execute();
  const taken = references.flatMap(({ reference }) => sandbox.books.topups({ reference }));
  expect(completed(taken)).toBe(deliveredOf(model));
  expect(await findBrokenInvariants(database)).toEqual([]);
}
