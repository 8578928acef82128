import { describe, expect, it } from 'vitest';
import { fold, type Placement } from '../../../src/domain/positions/placement.ts';
import {
  bearers,
  caseOf,
  decide,
  difference,
  differenceOf,
  endHold,
  isBlocking,
  mayCharge,
  mayCredit,
  netDone,
  PATIENCE_MS,
  settle,
  target,
  transfersTo,
} from '../../../src/domain/positions/position.ts';
import { FEE, PRICE, placed, positionOf } from './a-position.ts';

const done = (amount = PRICE, provider = 'gsma') =>
  placed({ provider, said: 'done', done: amount, saidAt: 1 });
const undone = placed({ said: 'undone', saidAt: 1 });
const nothing = placed({ said: 'nothing', saidAt: 1 });
const reversed = placed({ kind: 'reversal', said: 'done', done: PRICE, saidAt: 1 });

const WHOLE = PRICE + FEE;

describe('what an order is to have moved', () => {
  it.each([
    ['charged and done', {}, [done()], { payer: -WHOLE, clearing: PRICE, fees: FEE }],
    ['neither', { isCharged: false }, [nothing], {}],
    ['a late success', { isCharged: false }, [done()], { clearing: PRICE, suspense: -PRICE }],
    ['taken back', {}, [undone], { payer: -WHOLE, fees: FEE, suspense: PRICE }],
    [
      'two providers',
      {},
      [done(), done(PRICE, 'mpesa')],
      { payer: -WHOLE, fees: FEE, clearing: 2n * PRICE, suspense: -PRICE },
    ],
    [
      'another amount',
      {},
      [done(110n)],
      { payer: -WHOLE, fees: FEE, clearing: 110n, suspense: -10n },
    ],
    ['a reversal that its merchant asked for', { isCharged: false }, [done(), reversed], {}],
    [
      'a reversal that a statement told of before its answer came',
      { isCharged: false },
      [done(), ...Array(2).fill({ ...reversed, providerReference: 'REV-1' })],
      {},
    ],
    [
      'a payment and its reversal that are both undone',
      { isCharged: false },
      [undone, reversed],
      {},
    ],
    ...[done(), undone, nothing].flatMap(
      (payment) =>
        [
          [
            `a reversal of more than was paid, of a payment that is ${payment.said}`,
            { isCharged: false },
            [payment, { ...reversed, done: 110n }],
            { clearing: -10n, suspense: 10n },
          ],
          [
            `two reversals of a payment that is ${payment.said}`,
            { isCharged: false },
            [payment, reversed, reversed],
            { clearing: -PRICE, suspense: PRICE },
          ],
        ] as const,
    ),
    [
      'a reversal of one of two',
      {},
      [done(), reversed, done(PRICE, 'mpesa')],
      { payer: -WHOLE, fees: FEE, clearing: PRICE },
    ],
    ...(['none', 'pending'] as const).flatMap(
      (said) =>
        [
          [
            `a payment that is undone while its reversal is ${said}`,
            {},
            [undone, placed({ kind: 'reversal', said })],
            { payer: -WHOLE, fees: FEE, clearing: PRICE },
          ],
          [
            `another amount while the reversal is ${said}`,
            {},
            [done(110n), placed({ kind: 'reversal', said })],
            { payer: -WHOLE, fees: FEE, clearing: 110n, suspense: -10n },
          ],
        ] as const,
    ),
    [
      'a payment that is undone, and its reversal was refused',
      {},
      [undone, placed({ kind: 'reversal', said: 'nothing' })],
      { payer: -WHOLE, fees: FEE, suspense: PRICE },
    ],
    [
      'the value is with the partner',
      { isCharged: false, creditedTo: 'partner' },
      [undone],
      { payer: -WHOLE, partner: WHOLE },
    ],
    ['on hold', { state: 'open', isCharged: false }, [done()], { payer: -WHOLE, hold: WHOLE }],
  ] as const)('%s', (_, order, placements, expected) => {
    const goal = target(positionOf(order, placements));
    expect(Object.values(goal).reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
    const moved = Object.fromEntries(Object.entries(goal).filter(([, amount]) => amount !== 0n));
    expect(moved).toEqual(expected);
  });

  it('each bears what was agreed, and the rest stays in suspense', () => {
    const agreed = [
      { by: 'partner', amount: 30n },
      { by: 'platform', amount: 20n },
    ] as const;
    expect(target(positionOf({ isCharged: false }, [done()], agreed))).toMatchObject({
      payer: 0n,
      partner: -30n,
      fees: -20n,
      clearing: PRICE,
      suspense: 50n - PRICE,
    });
  });

  it('transfers lead there once, each from what has too much to what lacks it', () => {
    const ofHold = new Map([['hold', 0n]]);
    const goal = new Map([...ofHold, ...Object.entries(target(positionOf({}, [done(110n)])))]);
    const before = new Map(Object.entries(target(positionOf({ state: 'open' }, []))));
    const moved = transfersTo(goal, before);
    expect(moved).toEqual([
      { debit: 'hold', credit: 'clearing', amount: WHOLE },
      { debit: 'suspense', credit: 'clearing', amount: 110n - WHOLE },
      { debit: 'suspense', credit: 'fees', amount: FEE },
    ]);
    expect(transfersTo(goal, goal)).toEqual([]);
  });
});

describe('the end of a hold', () => {
  it.each([
    ['one did it', [nothing, done()], 'done'],
    ['each certainly did nothing', [nothing, undone], 'not-done'],
    ['one has not said', [nothing, placed()], 'open'],
    ['one is under way', [placed({ said: 'pending', saidAt: 1 })], 'open'],
    ['one has other content', [placed({ said: 'other', saidAt: 1 })], 'open'],
    ['a reversal is none', [nothing, reversed], 'not-done'],
  ] as const)('%s: %s', (_, placements, expected) => {
    const position = positionOf({ state: 'open', isCharged: false }, placements);
    expect(decide(position)).toBe(expected);
    const state = expected === 'open' ? 'open' : 'decided';
    expect(endHold(position).order).toMatchObject({ state, isCharged: expected === 'done' });
  });
});

describe('why a person is needed', () => {
  const other = (changes: Partial<Placement> = {}) =>
    placed({ said: 'other', message: 'another payee', saidAt: 1, ...changes });

  it.each([
    ['nothing', {}, [done()], undefined, false],
    ['a difference', {}, [undone], 'difference', false],
    ['a difference of what is not charged', { isCharged: false }, [done()], 'difference', true],
    ['other content', { isCharged: false }, [other()], 'unclear', true],
    [
      'the same content, cleared',
      { isCharged: false },
      [other({ cleared: 'another payee' })],
      undefined,
      false,
    ],
    [
      'new content after that',
      { isCharged: false },
      [other({ cleared: 'before' })],
      'unclear',
      true,
    ],
    ['news of three days', {}, [{ ...done(), doubtedAt: 0 }], 'silence', false],
    ['news of less', {}, [{ ...done(), doubtedAt: 1 }], undefined, false],
    ['a hold', { state: 'open', isCharged: false }, [other()], undefined, false],
  ] as const)('%s', (_, order, placements, why, blocks) => {
    const position = positionOf(order, placements);
    expect(caseOf(position, PATIENCE_MS)).toBe(why);
    expect(isBlocking(position, why)).toBe(blocks);
  });
});

describe('the kind of a difference', () => {
  const both = [done(), done(PRICE, 'mpesa')];
  const reversed = (amount: bigint) => placed({ kind: 'reversal', said: 'done', done: amount });

  it.each([
    ['nothing in suspense', {}, [done()], [], null],
    ['done after a refusal', { isCharged: false }, [nothing, done(PRICE, 'mpesa')], [], 'late'],
    ['another amount after a refusal', { isCharged: false }, [done(110n)], [], 'late'],
    ['done again after the partner got it', {}, [done()], [-PRICE], 'late'],
    ['two providers', {}, both, [], 'twice'],
    ['two providers after refusals', { isCharged: false }, both, [], 'twice'],
    ['a larger amount', {}, [done(110n)], [], 'amount'],
    ['a smaller amount', {}, [done(60n)], [], 'amount'],
    ['the rest of a reversal', { isCharged: false }, [done(), reversed(90n)], [], 'amount'],
    ['more than was paid, back', { isCharged: false }, [done(), reversed(110n)], [], 'amount'],
    ['the same of what is charged', {}, [done(), reversed(110n)], [], 'taken-back'],
    ['taken back', {}, [undone], [], 'taken-back'],
    ['taken back by one of two', {}, [done(), undone], [PRICE], 'taken-back'],
    ['taken back after a part was agreed', {}, [undone], [-40n], 'taken-back'],
    ['a hold', { state: 'open' }, [undone], [], null],
    ['what a restore lost', { isCharged: false, price: 0n, fee: 0n }, both, [], 'lost'],
  ] as const)('%s', (_, order, placements, borne, kind) => {
    const settlements = borne.map((amount) => ({ by: 'partner', amount }) as const);
    expect(differenceOf(positionOf(order, placements, settlements))).toBe(kind);
  });
});

describe('who bears a difference', () => {
  it.each([
    ['a late success', 'payer', { isCharged: false }, [done()], true, []],
    ['a late success', 'partner', { isCharged: false }, [done()], false, [['partner', PRICE]]],
    ['a late success', 'platform', { isCharged: false }, [done()], false, [['platform', PRICE]]],
    ['a late success', 'provider', { isCharged: false }, [done()], false, []],
    ['taken back', 'payer', {}, [undone], false, []],
    ['taken back', 'partner', {}, [undone], true, [['partner', -PRICE]]],
    ['taken back', 'provider', {}, [undone], true, []],
    ['more than ordered', 'payer', { isCharged: false }, [done(110n)], true, [['partner', 10n]]],
    ['less than ordered', 'payer', { isCharged: false }, [done(60n)], false, [['partner', 60n]]],
    ['less than was charged', 'payer', {}, [done(60n)], true, [['partner', -40n]]],
    ['two providers', 'provider', {}, [done(), done(PRICE, 'mpesa')], true, []],
    [
      'of no order',
      'payer',
      { isCharged: false, price: 0n, fee: 0n },
      [done()],
      false,
      [['partner', PRICE]],
    ],
  ] as const)('%s, by the %s', (_, by, order, placements, isCharged, settlements) => {
    const settled = settle(positionOf(order, placements), by, 9);
    expect(difference(settled)).toBe(0n);
    expect(settled.order.isCharged).toBe(isCharged);
    expect(settled.settlements.map((one) => [one.by, one.amount])).toEqual(settlements);
  });

  it.each([
    [
      'the first one had refused: it gave back, and the later one keeps it',
      {},
      [done(), done(PRICE, 'mpesa')],
      ['undone 0', 'done 100'],
    ],
    [
      'the first one gave back all that the later one did not do',
      {},
      [done(110n), done(60n, 'mpesa')],
      ['done 40', 'done 60'],
    ],
    ['it gave back a part', {}, [done(110n)], ['done 100']],
    ['it did what was missing', {}, [undone], ['done 100']],
    ['it paid again what it had taken back', {}, [done(), reversed], ['done 100', 'undone 0']],
    [
      'it paid again the part that it had taken back',
      {},
      [done(), { ...reversed, done: 40n }],
      ['done 100', 'undone 0'],
    ],
    [
      'it paid again what both had said that it took back',
      {},
      [undone, reversed],
      ['done 100', 'undone 0'],
    ],
    [
      'the first one had undone it: it did it again, and not the later one that had refused',
      {},
      [undone, { ...undone, provider: 'mpesa', said: 'nothing' }],
      ['done 100', 'nothing 0'],
    ],
    ...[done(), undone].flatMap(
      (payment) =>
        [
          [
            `it gave back what a reversal took too much of what is ${payment.said}`,
            { isCharged: false },
            [payment, { ...reversed, done: 110n }],
            ['done 100', 'done 100'],
          ],
          [
            `it gave back all that a reversal took of what is ${payment.said} and charged`,
            {},
            [payment, { ...reversed, done: 110n }],
            ['done 100', 'undone 0'],
          ],
        ] as const,
    ),
    [
      'the first one gave back what a reversal took too much, and the later one what it did',
      { isCharged: false },
      [done(), { ...reversed, done: 110n }, done(PRICE, 'mpesa')],
      ['done 100', 'done 100', 'undone 0'],
    ],
    [
      'it keeps what a reversal took back',
      { isCharged: false },
      [done(2n * PRICE), reversed],
      ['done 100', 'done 100'],
    ],
    [
      'it gave back what it had done beyond what a reversal took back',
      { isCharged: false },
      [done(110n), reversed],
      ['done 100', 'done 100'],
    ],
  ] as const)('the provider has put it right: %s', (_, order, placements, expected) => {
    const settled = settle(positionOf(order, placements), 'provider', 9);
    expect(difference(settled)).toBe(0n);
    expect(settled.placements.map((one) => `${one.said} ${one.done}`)).toEqual(expected);
  });

  it.each([
    ['the later part', [40n, 50n], ['done 100', 'done 40', 'undone 0']],
    ['a part of the whole', [PRICE], ['done 100', 'done 40']],
  ] as const)(
    'the provider has paid %s again: what somebody bears of it stays taken back',
    (_, parts, expected) => {
      const takenBack = parts.map((part) => ({ ...reversed, done: part }));
      const borne = [{ by: 'partner', amount: -40n }] as const;
      const settled = settle(positionOf({}, [done(), ...takenBack], borne), 'provider', 9);
      expect(settled.placements.map((one) => `${one.said} ${one.done}`)).toEqual(expected);
      const [payment = done(), ...reversals] = settled.placements;
      const again = fold(payment, { at: 10, source: 'inquiry', said: 'done' });
      expect(difference({ ...settled, placements: [again, ...reversals] })).toBe(0n);
    },
  );

  it('later answers of the provider open it again', () => {
    const settled = settle(positionOf({ isCharged: false }, [done()]), 'partner', 9);
    const takenBack = { ...settled, placements: [undone] };
    expect(difference(takenBack)).toBe(-PRICE);
    expect(difference(settle(takenBack, 'partner', 10))).toBe(0n);
  });

  it('without a difference it clears the message and old news', () => {
    const position = positionOf({}, [{ ...done(), said: 'other', message: 'x', doubtedAt: 0 }]);
    const settled = settle(position, 'partner', PATIENCE_MS);
    expect(caseOf(settled, PATIENCE_MS)).toBeUndefined();
    expect(settled.settlements).toEqual([]);
  });

  it.each(bearers)('by %s it keeps the news that its person may not have seen', (by) => {
    const position = positionOf({ isCharged: false }, [{ ...done(), doubtedAt: 8 }]);
    expect(settle(position, by, 9).placements[0]?.doubtedAt).toBe(8);
  });

  it.each([
    ['the whole and more', { isCharged: false }, [done(110n)], true, false],
    ['less than the price', { isCharged: false }, [done(60n)], false, false],
    ['nothing was done of what is charged', {}, [undone], false, true],
    ['a part was done of what is charged', {}, [done(60n)], false, false],
    ['what a restore lost', { isCharged: false, price: 0n, fee: 0n }, [done()], false, false],
  ] as const)(
    '%s: the payer may be charged, or credited',
    (_, order, placements, charged, credited) => {
      const position = positionOf(order, placements);
      expect([mayCharge(position), mayCredit(position)]).toEqual([charged, credited]);
    },
  );
});

it('what a reversal took back counts where its payment stands', () => {
  expect(netDone({ placements: [done(), reversed] })).toBe(0n);
  expect(netDone({ placements: [done(), { ...reversed, said: 'undone', done: 0n }] })).toBe(PRICE);
  expect(netDone({ placements: [done(60n), reversed] })).toBe(-40n);
});
