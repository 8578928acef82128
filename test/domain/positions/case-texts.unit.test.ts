import { describe, expect, it } from 'vitest';
import {
  afterChoice,
  type BorneOrder,
  bearerChoices,
  bearerQuestion,
  caseReasons,
  caseTitle,
  differenceWords,
  otherAmountWords,
  type SettledCase,
  saidWords,
  whoToTell,
  whyNoPayer,
} from '../../../src/domain/positions/case-texts.ts';
import type { PlacementKind } from '../../../src/domain/positions/placement.ts';
import type { Difference, Position } from '../../../src/domain/positions/position.ts';
import { FEE, PRICE, placed, positionOf } from './a-position.ts';

const done = (amount = PRICE, provider = 'gsma') =>
  placed({ provider, said: 'done', done: amount, saidAt: 1 });
const undone = placed({ said: 'undone', saidAt: 1 });

const borne = (position: Position, changes: Partial<BorneOrder> = {}): BorneOrder => ({
  kind: 'payment',
  isLost: false,
  isPayable: true,
  position,
  names: { partner: 'Addis Gifts', merchant: 'Bole Books', provider: 'M-Pesa' },
  ...changes,
});

const late = positionOf({ isCharged: false }, [done()]);
const back = positionOf({}, [undone]);

it('each case has a title of its own, a dozen in all', () => {
  const kinds: readonly Difference[] = ['late', 'twice', 'amount', 'taken-back', 'lost'];
  const titles = [
    ...caseReasons.map((why) => caseTitle({ why })),
    ...kinds.map((difference) => caseTitle({ why: 'difference', difference })),
  ];
  expect(new Set(titles).size).toBe(12);
});

describe('the payer', () => {
  it.each([
    ['of a late payment', borne(late), undefined],
    ['of a payment that was taken back', borne(back), undefined],
    ['without value or claimed', borne(late, { isPayable: false }), 'or is claimed'],
    ['of a top-up', borne(late, { kind: 'top-up' }), 'is its partner'],
    ['of what a restore lost', borne(late, { isLost: true }), 'is not known'],
    ['of two payments', borne(positionOf({}, [done(), done(PRICE, 'mpesa')])), 'has paid'],
    ['of a larger amount', borne(positionOf({}, [done(110n)])), 'has paid'],
    ['of a smaller amount', borne(positionOf({}, [done(60n)])), 'part of one'],
    [
      'of what the partner paid before',
      borne(positionOf({ isCharged: false }, [undone], [{ by: 'partner', amount: PRICE }])),
      'nothing returns',
    ],
    [
      'whose value is with the partner, without a fee',
      borne(positionOf({ isCharged: false, creditedTo: 'partner', fee: 0n }, [done()])),
      'with its partner',
    ],
    [
      'whose value is with the partner, with a fee',
      borne(positionOf({ isCharged: false, creditedTo: 'partner' }, [done()])),
      undefined,
    ],
  ] as const)('%s', (_, order, why) => {
    const said = whyNoPayer(order);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(why);
    expect(bearerChoices(order).some(({ by }) => by === 'payer')).toBe(why === undefined);
  });
});

describe('what a choice does', () => {
  const effects = (order: BorneOrder) =>
    bearerChoices(order).map(({ by, toFees, toWallet }) => [by, toFees, toWallet]);

  it('differs from what each other one does', () => {
    expect(effects(borne(late))).toEqual([
      ['payer', FEE, 0n],
      ['partner', 0n, -PRICE],
      ['platform', -PRICE, 0n],
      ['provider', 0n, 0n],
    ]);
    expect(effects(borne(back))).toEqual([
      ['payer', -FEE, 0n],
      ['partner', 0n, PRICE],
      ['platform', PRICE, 0n],
      ['provider', 0n, 0n],
    ]);
  });

  it('charges the wallet where the value of the voucher is with the partner', () => {
    const order = borne(positionOf({ isCharged: false, creditedTo: 'partner' }, [done(110n)]));
    expect(effects(order)[0]).toEqual(['payer', FEE, -PRICE - FEE - 10n]);
  });

  it('is not the provider where somebody got a surplus that was not taken back in the end', () => {
    const reversed = placed({ kind: 'reversal', said: 'done', done: PRICE });
    const settlements = [{ by: 'platform', amount: -10n }] as const;
    const order = borne(positionOf({ isCharged: false }, [done(), reversed], settlements));
    expect(effects(order).map(([by]) => by)).toEqual(['partner', 'platform']);
  });

  it('is nothing where nothing is in suspense', () => {
    expect(bearerChoices(borne(positionOf({}, [done()])))).toEqual([]);
  });

  const inBirr = { price: 100_000_000n, fee: 3_000_000n };
  const movesOf = (order: BorneOrder) => bearerChoices(order).map(({ moves }) => moves);
  const lateOne = positionOf({ ...inBirr, isCharged: false }, [done(inBirr.price)]);

  it('is one line that names who pays or gets how much', () => {
    expect(movesOf(borne(lateOne))).toEqual([
      'The voucher pays ETB 103.00, fee included.',
      'Addis Gifts pays ETB 100.00 from its gift wallet.',
      'Our fees pay ETB 100.00.',
      'M-Pesa already gave ETB 100.00 back.',
    ]);
    expect(movesOf(borne(positionOf(inBirr, [undone])))).toEqual([
      'The voucher gets back ETB 103.00, fee included.',
      'Addis Gifts gets ETB 100.00 into its gift wallet.',
      'Our fees keep ETB 100.00.',
      'M-Pesa already paid ETB 100.00 again.',
    ]);
    expect(movesOf(borne(lateOne, { kind: 'top-up' }))).toEqual([
      'Addis Gifts pays ETB 100.00 from its airtime wallet.',
      'Our fees pay ETB 100.00.',
      'M-Pesa already gave ETB 100.00 back.',
    ]);
  });

  it('says for whom a missing part is, and nothing of that where a whole order is missing', () => {
    const short = positionOf(inBirr, [done(90_000_000n)]);
    expect(movesOf(borne(short))).toEqual([
      'Addis Gifts gets ETB 10.00 into its gift wallet, for Bole Books.',
      'Our fees keep ETB 10.00 for Bole Books.',
      'M-Pesa already paid the missing ETB 10.00.',
    ]);
    expect(movesOf(borne(short, { kind: 'top-up' }))[0]).toBe(
      'Addis Gifts gets ETB 10.00 into its airtime wallet, for the customer.',
    );
  });

  it('says nothing of the voucher where its value is with the partner', () => {
    const order = { ...inBirr, isCharged: false, creditedTo: 'partner' } as const;
    expect(movesOf(borne(positionOf(order, [done(110_000_000n)]))).slice(0, 2)).toEqual([
      'Addis Gifts pays ETB 103.00 from its gift wallet, fee included. Addis Gifts pays the other ETB 10.00.',
      'Addis Gifts pays ETB 110.00 from its gift wallet.',
    ]);
  });

  it.each([
    [lateOne, 'M-Pesa paid Bole Books ETB 100.00, and nobody paid for it.', 'pays'],
    [
      positionOf(inBirr, [undone]),
      'M-Pesa took ETB 100.00 back from Bole Books, and the voucher paid.',
      'gets',
    ],
    [
      positionOf(
        { ...inBirr, isCharged: false },
        [undone],
        [{ by: 'partner', amount: inBirr.price }],
      ),
      'M-Pesa took ETB 100.00 back from Bole Books, and Addis Gifts paid.',
      'gets',
    ],
    [
      positionOf(inBirr, [done(inBirr.price)], [{ by: 'platform', amount: -inBirr.price }]),
      'M-Pesa paid Bole Books ETB 100.00, and our service has the money.',
      'pays',
    ],
    [
      positionOf(inBirr, [done(inBirr.price), done(inBirr.price, 'mpesa')]),
      'GSMA mobile money and M-Pesa together paid Bole Books ETB 100.00 too much.',
      'pays',
    ],
    [
      positionOf({ ...inBirr, price: 60_000_000n }, [done(160_000_000n)]),
      'M-Pesa paid Bole Books ETB 100.00 more than is paid for.',
      'pays',
    ],
    [
      positionOf({ ...inBirr, price: 160_000_000n }, [done(60_000_000n)]),
      'M-Pesa paid Bole Books ETB 100.00 less than is paid for.',
      'gets',
    ],
    [
      positionOf({ ...inBirr, isCharged: false }, [
        done(inBirr.price),
        placed({ kind: 'reversal', said: 'done', done: 2n * inBirr.price }),
      ]),
      'M-Pesa took ETB 100.00 more back from Bole Books than it had paid.',
      'gets',
    ],
    [
      positionOf({ price: 0n, fee: 0n, isCharged: false }, [done(inBirr.price)]),
      'M-Pesa paid ETB 100.00, and a restore lost the order.',
      'pays',
    ],
  ] as const)('answers the question of %#', (position, sentence, verb) => {
    expect(differenceWords(borne(position))).toBe(sentence);
    expect(bearerQuestion(borne(position))).toBe(`Who ${verb} ETB 100.00?`);
  });

  it.each([
    ['platform', 40_000_000n, 'That leaves ETB -60.00.', true],
    ['platform', 100_000_000n, 'Our fees have ETB 0.00 then.', false],
    ['partner', 40_000_000n, 'The gift wallet lacks ETB 60.00: deposit first.', true],
    ['partner', 150_000_000n, 'The gift wallet has ETB 50.00 then.', false],
    ['provider', 0n, '', false],
    ['platform', undefined, '', false],
  ] as const)('by the %s leaves so much of %s', (by, balance, afterwards, isBelowZero) => {
    const price = 100_000_000n;
    const order = borne(positionOf({ isCharged: false, price }, [done(price)]));
    const choice = bearerChoices(order).find((one) => one.by === by);
    if (!choice) throw new Error(`There is no choice ${by}`);
    const balances = { fees: balance, wallet: balance };
    expect(afterChoice(order, choice, balances)).toEqual({ afterwards, isBelowZero });
  });
});

const settled = (
  by: SettledCase['by'],
  difference: Difference,
  changes: Partial<SettledCase> = {},
): SettledCase => ({
  kind: 'payment',
  by,
  difference,
  amount: 10_000_000n,
  names: { partner: 'Addis Gifts', merchant: 'Bole Books', provider: 'M-Pesa' },
  ...changes,
});
const less = { amount: -10_000_000n };
const topup = { kind: 'top-up' } as const;

describe('who must be told of a settled case', () => {
  it.each([
    [settled('payer', 'late'), 'Tell Bole Books that it was paid under OP-1.'],
    [
      settled('partner', 'late'),
      'Tell Bole Books that it was paid under OP-1, and Addis Gifts that it pays.',
    ],
    [
      settled('provider', 'late'),
      'Tell Bole Books that M-Pesa gave us ETB 10.00 back: it claims again.',
    ],
    [
      settled('partner', 'twice'),
      'Tell Bole Books that it got ETB 10.00 too much, and Addis Gifts that it pays.',
    ],
    [settled('platform', 'amount'), 'Tell Bole Books that it got ETB 10.00 too much.'],
    [settled('provider', 'twice'), 'Tell Bole Books that M-Pesa gave us ETB 10.00 back.'],
    [
      settled('partner', 'amount', less),
      'Tell Bole Books and Addis Gifts that Addis Gifts pays the missing ETB 10.00, outside this service.',
    ],
    [
      settled('platform', 'amount', less),
      'Tell Bole Books that we pay the missing ETB 10.00, outside this service.',
    ],
    [
      settled('provider', 'amount', less),
      'Tell Bole Books that M-Pesa paid it the missing ETB 10.00.',
    ],
    [
      settled('partner', 'taken-back', less),
      'Tell Bole Books that ETB 10.00 was taken back, and Addis Gifts that it got the money.',
    ],
    [settled('payer', 'taken-back', less), 'Tell Bole Books that ETB 10.00 was taken back.'],
    [
      settled('partner', 'late', topup),
      'Tell Addis Gifts that M-Pesa delivered ETB 10.00, and that it pays.',
    ],
    [settled('platform', 'late', topup), 'Tell Addis Gifts that M-Pesa delivered ETB 10.00.'],
    [settled('platform', 'twice', topup), 'Nobody needs to be told.'],
    [
      settled('partner', 'amount', topup),
      'Tell Addis Gifts that the customer got ETB 10.00 too much, and that it pays.',
    ],
    [
      settled('platform', 'amount', { ...topup, ...less }),
      'Tell the customer that we pay the missing ETB 10.00, outside this service.',
    ],
    [settled('partner', 'lost'), 'Tell Addis Gifts that it pays ETB 10.00.'],
    [settled('platform', 'lost'), 'Nobody needs to be told.'],
  ])('%#', (one, words) => {
    expect(whoToTell(one, 'OP-1')).toBe(words);
  });
});

it.each([
  [
    settled('partner', 'amount'),
    110_000_000n,
    'M-Pesa paid Bole Books ETB 110.00 where ETB 100.00 was ordered, and Addis Gifts bears the difference.',
  ],
  [
    settled('platform', 'amount', { ...topup, ...less }),
    90_000_000n,
    'M-Pesa delivered ETB 90.00 where ETB 100.00 was ordered, and we have the rest.',
  ],
  [settled('provider', 'amount'), 100_000_000n, undefined],
])('another amount than the ordered one is told with its bearer: %#', (one, done, words) => {
  const order = { ordered: 100_000_000n, done, providers: ['M-Pesa'] };
  expect(otherAmountWords(one, order)).toBe(words);
});

it.each([
  ['inquiry', 'done', 'M-Pesa says that it did ETB 10.00, reference OP-1: Words.'],
  [
    'statement',
    'undone',
    'The statement of M-Pesa says that it took it back, reference OP-1: Words.',
  ],
  ['person', 'nothing', 'An operator booked that M-Pesa did nothing: Words.'],
  ['answer', 'pending', 'M-Pesa says that it is still working on it: Words.'],
  ['answer', 'other', 'M-Pesa says that it has something else under our reference: Words.'],
  ['answer', 'none', 'M-Pesa has not answered.'],
  [
    'statement',
    'done',
    'The statement of M-Pesa says that it took ETB 10.00 back, reference OP-1: Words.',
    'reversal',
  ],
] as const)(
  'an observation of a %s, %s, is a sentence',
  (source, said, words, kind: PlacementKind = 'payment') => {
    const one = {
      source,
      said,
      done: '10.000000',
      message: 'Words.',
      providerReference: 'OP-1',
    };
    expect(saidWords({ kind, provider: 'mpesa' }, one)).toBe(words);
  },
);
