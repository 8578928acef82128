import { expect, it } from 'vitest';
import { parseMoney } from '../../src/domain/money.ts';
import { choiceFor, createProviderSet } from '../../src/providers/provider-set.ts';

const routes = ['whole', 'exact'].map((provider, index) => ({
  id: index,
  position: index + 1,
  provider: provider === 'whole' ? 'mpesa' : 'gsma',
  weight: 1,
  operator: null,
  amountFrom: null,
  amountTo: null,
}));

/** M-Pesa pays whole birr only; which of them are out of order is given. */
function choice(broken: readonly string[] = [], empty: readonly string[] = []) {
  const set = createProviderSet(
    {
      gsma: { canCarry: (amount: string) => !amount.startsWith('9') },
      mpesa: { canCarry: (amount: string) => amount.endsWith('.00') },
    },
    'gsma',
  );
  return choiceFor(
    {
      ...set,
      isAvailable: (name) => !broken.includes(name),
      hasMoney: (name) => !empty.includes(name),
    },
    { kind: 'payout', routes, operator: undefined, shareOf: () => 0.5 },
  );
}

it('an amount that the first cannot carry goes to the next', () => {
  const names = ['100', '100.50', '9.50'].map((amount) => choice().candidates(parseMoney(amount)));
  expect(names.map((found) => found.join())).toMatchObject([/mpesa/, 'gsma', '']);
  expect(choice().choose(parseMoney('100.50'))).toEqual({ ok: true, provider: 'gsma' });
});

it('one that is out of order is not chosen; where all are, nothing is to be held', () => {
  const of = (broken: string[]) => choice(broken).choose(parseMoney('100'));
  expect(of(['mpesa'])).toEqual({ ok: true, provider: 'gsma' });
  expect(of(['mpesa', 'gsma'])).toMatchObject({ ok: false, reason: 'unavailable' });
});

it('a provider that somebody wants is that or none', () => {
  const of = (wanted: string, broken: string[] = [], amount = '100') =>
    choice(broken).choose(parseMoney(amount), wanted);
  expect(of('gsma')).toEqual({ ok: true, provider: 'gsma' });
  expect(of('gsma', ['gsma'])).toMatchObject({ ok: false, reason: 'unavailable' });
  // It cannot carry the amount, or is not configured.
  expect(of('mpesa', [], '100.50')).toMatchObject({
    ok: false,
    detail: /^mpesa does not serve it/,
  });
  expect(of('other')).toMatchObject({ ok: false, detail: /^other does not serve it/ });
});

it('one that has no money of ours is chosen only where no other can be', () => {
  const of = (broken: string[], empty: string[]) => choice(broken, empty).choose(parseMoney('100'));
  expect(of([], [])).toEqual({ ok: true, provider: 'mpesa' });
  expect(of([], ['mpesa'])).toEqual({ ok: true, provider: 'gsma' });
  expect(of(['gsma'], ['mpesa'])).toEqual({ ok: true, provider: 'mpesa' });
  expect(of([], ['mpesa', 'gsma'])).toEqual({ ok: true, provider: 'mpesa' });
});
