import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../../src/domain/positions/position.ts';
import { nextAsk } from '../../../src/domain/positions/schedule.ts';
import { PRICE, placed } from './a-position.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = 100 * DAY;

const done = { said: 'done', done: PRICE, saidAt: NOW } as const;
const nothing = { said: 'nothing', saidAt: NOW } as const;
const clock = {
  now: NOW,
  decidedAt: NOW,
  watchMs: 7 * DAY,
  hasCase: false,
  isCurrent: true,
  isDue: false,
};

describe('when a provider is asked next', () => {
  it.each([
    ['by the workflow of an open order', {}, { decidedAt: null }, null],
    ['one that was asked before it', nothing, { decidedAt: null, isCurrent: false }, 10 * MINUTE],
    ['after it was done', done, {}, 10 * MINUTE],
    ['a day later', done, { decidedAt: NOW - 10 * MINUTE }, DAY - 10 * MINUTE],
    ['at the end of the watch', done, { decidedAt: NOW - DAY }, 6 * DAY],
    ['not after it', done, { decidedAt: NOW - 7 * DAY }, null],
    ['never without a watch', done, { watchMs: 0 }, null],
    ['after it was refused', nothing, {}, 10 * MINUTE],
    ['a refusal for a day', nothing, { decidedAt: NOW - 10 * MINUTE }, DAY - 10 * MINUTE],
    ['and no longer', nothing, { decidedAt: NOW - DAY }, null],
    ['a case, every ten minutes at first', done, { hasCase: true, decidedAt: 0 }, 10 * MINUTE],
    ['news', { ...done, doubtedAt: NOW }, { decidedAt: 0 }, 10 * MINUTE],
    ['what is due by now, at once', done, { isDue: true }, 0],
    [
      'what is due by now, by the workflow of an open order',
      done,
      { isDue: true, decidedAt: null },
      null,
    ],
    ['what is under way', { said: 'pending', saidAt: NOW }, { decidedAt: 0 }, 10 * MINUTE],
    [
      'one that was sent, and has never answered',
      { silentSince: NOW - 9 * DAY },
      { decidedAt: NOW - 9 * DAY, isCurrent: false },
      DAY,
    ],
    [
      'in pauses that grow with the silence',
      { ...done, silentSince: NOW - 3 * 60 * MINUTE },
      { decidedAt: 0 },
      180 * MINUTE,
    ],
    ['up to a day', { ...done, silentSince: NOW - 2 * DAY }, { decidedAt: 0 }, DAY],
    [
      'a plain silence for three days',
      { ...done, silentSince: NOW - PATIENCE_MS },
      { decidedAt: 0 },
      null,
    ],
  ] as const)('%s', (_, changes, further, expected) => {
    const next = nextAsk(placed(changes), { ...clock, ...further });
    expect(next === null ? null : next - NOW).toBe(expected);
  });
});
