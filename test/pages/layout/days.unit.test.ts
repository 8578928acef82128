import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readDays } from '../../../src/pages/layout/parts.ts';

beforeAll(() => vi.useFakeTimers({ now: new Date('2026-03-01T12:00:00Z') }));
afterAll(() => vi.useRealTimers());

test.each([
  ['', '2026-01-31', '2026-03-01'],
  ['from=2026-02-28', '2026-02-28', '2026-03-01'],
  ['to=2024-03-01', '2024-02-01', '2024-03-01'],
  ['from=2025-03-01&to=2026-03-01', '2025-03-01', '2026-03-01'],
  ['from=2026-02-28&to=2026-02-28', '2026-02-28', '2026-02-28'],
])('%j is %s to %s', (query, first, last) => {
  expect(readDays(new URLSearchParams(query)).days).toEqual({
    first,
    last,
    zone: 'Africa/Addis_Ababa',
  });
});

test.each([
  ['from=2026-02-30', 'from'],
  ['from=yesterday', 'from'],
  ['from=0001-01-01&to=0001-01-02', 'from'],
  ['from=2026-03-02', 'from'],
  ['from=2025-02-28&to=2026-03-01', 'from'],
  ['to=2026-13-01', 'to'],
  ['to=%00', 'to'],
])('%j is refused at %s', (query, field) => {
  const { days, problems } = readDays(new URLSearchParams(query));
  expect(days).toBeUndefined();
  expect(Object.keys(problems)).toEqual([field]);
});
