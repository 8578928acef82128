import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Money } from '../../../src/domain/money.ts';
import {
  type Answered,
  fold,
  type ObservationSource,
  type Placement,
} from '../../../src/domain/positions/placement.ts';
import {
  type Bearer,
  bearers,
  caseOf,
  difference,
  endHold,
  mayPutRight,
  netDone,
  type Position,
  type PositionAccount,
  settle,
  target,
  transfersTo,
} from '../../../src/domain/positions/position.ts';
import { nextAsk } from '../../../src/domain/positions/schedule.ts';
import { PRICE, placed, positionOf } from './a-position.ts';

const MINUTE = 60_000;
const PROVIDERS = ['gsma', 'mpesa', 'third'];

type Step =
  | { readonly kind: 'changes'; readonly provider: number; readonly did: Money }
  | {
      readonly kind: 'told';
      readonly provider: number;
      readonly source: ObservationSource;
      readonly said: Answered | 'truth';
    }
  | { readonly kind: 'settle'; readonly by: Bearer }
  | { readonly kind: 'place'; readonly provider: number }
  | { readonly kind: 'reverse'; readonly provider: number }
  | { readonly kind: 'clock'; readonly minutes: number };

/** Of a provider, or of a placement. */
const provider = fc.integer({ min: 0, max: 4 });
const bearer = fc.constantFrom<Bearer>(...bearers);
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: kind('changes'),
    provider,
    did: fc.constantFrom(0n, 0n, PRICE, PRICE, 60n, 250n),
  }),
  fc.record({
    kind: kind('told'),
    provider,
    source: fc.constantFrom<ObservationSource>('answer', 'inquiry', 'statement', 'recovery'),
    said: fc.constantFrom<Answered | 'truth'>(
      'truth',
      'truth',
      'truth',
      'silent',
      'pending',
      'never-seen',
      'other',
    ),
  }),
  fc.record({ kind: kind('settle'), by: bearer }),
  fc.record({ kind: kind('place'), provider }),
  fc.record({ kind: kind('reverse'), provider }),
  fc.record({ kind: kind('clock'), minutes: fc.integer({ min: 1, max: 6_000 }) }),
);

/** An order with the truth of its providers, and the ledger that follows its position. */
class Model {
  #now = 0;
  #decidedAt: number | null = null;
  /** By placement: what each did, or took back. */
  readonly #truth: Money[] = [];
  readonly #booked = new Map<PositionAccount, Money>();
  #position: Position;

  constructor(isLost: boolean) {
    const order = isLost ? { price: 0n, fee: 0n } : { state: 'open' as const };
    this.#position = positionOf({ ...order, isCharged: false }, [placed()]);
    this.#book();
  }

  take(one: Step): void {
    this.#now += MINUTE;
    if (one.kind === 'clock') {
      this.#now += one.minutes * MINUTE;
      this.#book();
    }
    if (one.kind === 'place') this.#place(PROVIDERS[one.provider % PROVIDERS.length] ?? '');
    if (one.kind === 'reverse') this.#reverse(one.provider);
    if (one.kind === 'changes') this.#change(one.provider, one.did);
    if (one.kind === 'settle') this.#settle(one.by);
    if (one.kind === 'told') this.#tell(one);
  }

  #change(index: number, did: Money): void {
    if (index < this.#position.placements.length) this.#truth[index] = did;
  }

  /** What the providers did in the end. A reversal of a payment that is undone is the same one, up to the price. */
  #did(): Money {
    const { placements } = this.#position;
    const sumOf = (isWanted: (one: Placement) => boolean) =>
      placements.reduce(
        (sum, one, index) => sum + (isWanted(one) ? (this.#truth[index] ?? 0n) : 0n),
        0n,
      );
    return PROVIDERS.reduce((sum, name) => {
      const of = (isReversal: boolean) =>
        sumOf((one) => one.provider === name && (one.kind === 'reversal') === isReversal);
      const [paid, taken] = [of(false), of(true)];
      if (paid > 0n) return sum + paid - taken;
      return sum + (taken > PRICE ? PRICE - taken : 0n);
    }, 0n);
  }

  #tell({ provider: index, source, said }: Extract<Step, { kind: 'told' }>): void {
    if (said === 'truth') this.#tellTruth(index, source);
    else this.#observe(index, source, said);
  }

  /** In the end each provider says the truth, and somebody bears what is open. */
  end(by: Bearer): void {
    this.#now += MINUTE;
    for (const index of this.#position.placements.keys()) this.#tellTruth(index, 'inquiry');
    expect(this.#position.order.state).toBe('decided');
    const did = this.#did();
    expect(netDone(this.#position)).toBe(did);
    expect(this.#booked.get('clearing') ?? 0n).toBe(did);
    this.#settle(by);
    expect(this.#booked.get('hold') ?? 0n).toBe(0n);
    expect(this.#booked.get('suspense') ?? 0n).toBe(0n);
    expect(caseOf(this.#position, this.#now)).toBeUndefined();
  }

  #place(name: string): void {
    const { placements } = this.#position;
    if (placements.some((one) => one.provider === name)) return;
    this.#add(placed({ provider: name }));
  }

  /** A reversal of a payment that has ended. */
  #reverse(index: number): void {
    const { order, placements } = this.#position;
    const payment = placements[index];
    if (!payment || payment.kind === 'reversal' || order.state === 'open') return;
    this.#add(placed({ kind: 'reversal', provider: payment.provider }));
  }

  #add(placement: Placement): void {
    const placements = [...this.#position.placements, placement];
    this.#position = { ...this.#position, placements };
    this.#book();
  }

  #settle(by: Bearer): void {
    const isUnderWay = this.#position.placements.some(
      ({ kind: what, said }) => what === 'reversal' && (said === 'none' || said === 'pending'),
    );
    // Only the payer can get what a reversal takes back that has not ended.
    if (isUnderWay && by !== 'payer') return;
    const bearer = by === 'provider' && !mayPutRight(this.#position) ? 'platform' : by;
    this.#position = settle(this.#position, bearer, this.#now);
    this.#book();
    expect(difference(this.#position)).toBe(0n);
  }

  #tellTruth(index: number, source: ObservationSource): void {
    const told = this.#position.placements[index];
    if (!told) return;
    const did = this.#truth[index] ?? 0n;
    const back = told.done > 0n || told.said === 'undone' ? 'undone' : 'nothing';
    this.#observe(index, source, did > 0n ? 'done' : back, did);
  }

  #observe(index: number, source: ObservationSource, said: Answered, amount: Money = 0n): void {
    const told = this.#position.placements[index];
    if (!told) return;
    const seen = fold(told, {
      at: this.#now,
      source,
      said,
      ...(said === 'done' && { amount }),
      ...(said === 'other' && { message: 'another payee' }),
    });
    const placements = this.#position.placements.with(index, seen);
    this.#position = { ...this.#position, placements };
    this.#book();
  }

  #book(): void {
    const { state } = this.#position.order;
    this.#position = endHold(this.#position);
    if (state !== this.#position.order.state) this.#decidedAt = this.#now;
    const goal = new Map(Object.entries(target(this.#position)) as [PositionAccount, Money][]);
    for (const { debit, credit, amount } of transfersTo(goal, this.#booked)) {
      expect(amount).toBeGreaterThan(0n);
      this.#booked.set(debit, (this.#booked.get(debit) ?? 0n) - amount);
      this.#booked.set(credit, (this.#booked.get(credit) ?? 0n) + amount);
    }
    expect(transfersTo(goal, this.#booked)).toEqual([]);
    expect(this.#booked.get('suspense') ?? 0n).toBe(-difference(this.#position));
    this.#checkCase();
  }

  /** Nothing is in suspense without a case, and a case is asked about. */
  #checkCase(): void {
    const why = caseOf(this.#position, this.#now);
    if (difference(this.#position) !== 0n) expect(why).toBe('difference');
    if (why === undefined) return;
    const clock = { now: this.#now, decidedAt: this.#decidedAt ?? this.#now, watchMs: 0 };
    const next = (one: Placement) =>
      nextAsk(one, { ...clock, hasCase: true, isCurrent: true, isDue: false });
    for (const one of this.#position.placements) expect(next(one)).toBeGreaterThan(this.#now);
  }
}

it('the books follow whatever providers say, in whatever order', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
      bearer,
      fc.boolean(),
      (steps, last, isLost) => {
        const model = new Model(isLost);
        for (const one of steps) model.take(one);
        model.end(last);
      },
    ),
    { numRuns: 5_000 },
  );
});
