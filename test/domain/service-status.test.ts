import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type StatusFacts,
  type StatusPart,
  statusOf,
  statusParts,
  statusRules,
} from '../../src/domain/service-status.ts';

const now = new Date('2026-11-27T09:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

const provider = (name: string, takesCalls: boolean, seconds = 300) => ({
  provider: name,
  takesCalls,
  since: ago(seconds),
});
const held = (kind: string, ageLimit: number | null, count: number, oldestSeconds: number) => ({
  holds: [{ kind, ageLimit, count, oldestSeconds }],
});
const waits = (outbox: string, oldestSeconds: number) => ({
  waiting: [{ outbox, count: 1, oldestSeconds }],
});
const broken = (...names: string[]) => ({ providers: names.map((name) => provider(name, false)) });

/** A service at work, with something that does not matter. */
const facts = (differing: Partial<StatusFacts> = {}): StatusFacts => ({
  now,
  outages: {},
  holds: [{ kind: 'payment', ageLimit: 120, count: 50, oldestSeconds: 119 }],
  done: [
    { kind: 'payment', count: 40 },
    { kind: 'top-up', count: 40 },
  ],
  waiting: [
    { outbox: 'codes', count: 500, oldestSeconds: 119 },
    { outbox: 'messages', count: 1, oldestSeconds: 900 },
    { outbox: 'statements', count: 1, oldestSeconds: 86_400 },
  ],
  providers: [provider('gsma', true)],
  ...differing,
});

const conditions = (differing: Partial<StatusFacts> = {}) =>
  Object.fromEntries(
    statusOf(facts(differing)).map(({ part, condition }) => [part, condition]),
  ) as Record<StatusPart, string>;

/** What makes each row of the table true, and since when it then is. */
const causes: readonly [cause: string, differing: Partial<StatusFacts>, seconds: number][] = [
  ['The database does not answer', { outages: { database: ago(7) } }, 7],
  ['Temporal does not answer', { outages: { temporal: ago(8) } }, 8],
  ['A restored database is being recovered', { outages: { recovery: ago(9) } }, 9],
  ['No worker runs', { outages: { workers: ago(10) } }, 10],
  ['No SMS provider takes calls', broken('africas-talking', 'smpp'), 300],
  ['A code has waited for 10 minutes', waits('codes', 600), 600],
  ['A code has waited for 2 minutes', waits('codes', 120), 120],
  ['No mobile money provider takes calls', broken('gsma', 'gsma', 'mpesa'), 300],
  [
    '10 payments or reversals of the last hour, and 10 %, have been open for 10 minutes',
    held('reversal', 3_600, 10, 900),
    900,
  ],
  [
    '3 payments or reversals of the last hour, and 5 %, have been open for 2 minutes',
    held('payment', 600, 3, 121),
    121,
  ],
  ['No airtime provider takes calls', broken('dt-one'), 300],
  [
    '10 top-ups of the last hour, and 10 %, have been open for 10 minutes',
    held('top-up', 3_600, 10, 601),
    601,
  ],
  [
    '3 top-ups of the last hour, and 5 %, have been open for 2 minutes',
    held('top-up', 600, 3, 130),
    130,
  ],
  ['An event has waited for 10 minutes', waits('events', 700), 700],
  ['An event has waited for 2 minutes', waits('webhooks', 125), 125],
];

describe('the table of states', () => {
  test('has these causes', () => {
    expect(statusRules.map(({ cause }) => cause)).toEqual(causes.map(([cause]) => cause));
  });

  test.each(causes)('%s', (cause, differing, seconds) => {
    const rule = statusRules.find((one) => one.cause === cause);
    for (const { part, condition, since } of statusOf(facts(differing))) {
      const isConcerned = rule?.parts.includes(part);
      expect(condition, part).toBe(isConcerned ? rule?.condition : 'working');
      expect(since, part).toEqual(isConcerned ? ago(seconds) : null);
    }
  });

  test('stands in the guide of operators', () => {
    const guide = readFileSync('docs/guides/monitor.md', 'utf8');
    const rows = statusRules.map(({ parts, condition, cause }) => {
      const isEvery = parts.length === Object.keys(statusParts).length;
      const names = parts.map((part) => statusParts[part]).join(', ');
      return `| ${isEvery ? 'Every part' : names} | ${condition} | ${cause} |`;
    });
    const [, table = ''] = guide.split('| Part | State | Cause |\n|---|---|---|\n');
    expect(table.split('\n\n')[0]).toBe(rows.join('\n'));
  });
});

describe('a part', () => {
  test('works where nothing speaks against it', () => {
    expect(new Set(Object.values(conditions()))).toEqual(new Set(['working']));
  });

  test('is in its worst condition, since the first of what causes that', () => {
    const [, codes] = statusOf(
      facts({ ...broken('smpp'), waiting: [{ outbox: 'codes', count: 3, oldestSeconds: 601 }] }),
    );
    expect(codes).toEqual({ part: 'codes', condition: 'not working', since: ago(601) });
  });

  test('takes calls while one worker gets through to one provider', () => {
    const providers = [provider('gsma', false), provider('gsma', true), provider('mpesa', false)];
    expect(conditions({ providers }).payments).toBe('working');
    const later = [provider('gsma', false, 600), provider('mpesa', false, 20)];
    expect(statusOf(facts({ providers: later }))[2]?.since).toEqual(ago(20));
  });

  test('is not late for one order, nor for few of many', () => {
    expect(conditions(held('top-up', 600, 2, 130))['top-ups']).toBe('working');
    const done = [{ kind: 'top-up', count: 1_000 }];
    expect(conditions({ ...held('top-up', 600, 3, 130), done })['top-ups']).toBe('working');
    expect(conditions({ ...held('top-up', 600, 60, 130), done })['top-ups']).toBe('delayed');
    expect(conditions({ ...held('top-up', 3_600, 60, 900), done })['top-ups']).toBe('delayed');
    expect(conditions({ ...held('top-up', 3_600, 120, 900), done })['top-ups']).toBe('not working');
  });

  test('does not stop for some late payments, nor for those that are cases', () => {
    expect(conditions(held('payment', 3_600, 9, 900)).payments).toBe('delayed');
    expect(conditions(held('payment', null, 500, 90_000)).payments).toBe('working');
  });
});
