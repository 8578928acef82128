import { expect, it } from 'vitest';
import { localText, momentOf } from '../../src/domain/local-time.ts';

const NEW_YORK = 'America/New_York';

it.each([
  ['2021-12-06 08:13:39', NEW_YORK, '2021-12-06T13:13:39.000Z'],
  ['2021-03-23 13:17:08', NEW_YORK, '2021-03-23T17:17:08.000Z'],
  // The clocks of New York went back at 06:00Z on this day, and forward at 07:00Z on the other.
  ['2026-11-01 00:30:00', NEW_YORK, '2026-11-01T04:30:00.000Z'],
  ['2026-11-01 03:00:00', NEW_YORK, '2026-11-01T08:00:00.000Z'],
  ['2026-03-08 01:30:00', NEW_YORK, '2026-03-08T06:30:00.000Z'],
  ['2026-03-08 04:00:00', NEW_YORK, '2026-03-08T08:00:00.000Z'],
  ['22-11-2026 14:03:00', 'Africa/Addis_Ababa', '2026-11-22T11:03:00.000Z'],
  ['2026-11-22T14:03:00+01:00', NEW_YORK, '2026-11-22T13:03:00.000Z'],
  ['2026-11-22T14:03Z', NEW_YORK, '2026-11-22T14:03:00.000Z'],
])('%s in %s is %s', (text, zone, moment) => {
  const at = momentOf(text, zone);
  expect(at?.toISOString()).toBe(moment);
  if (/^\d{4}.{15}$/.test(text) && at) expect(localText(at, zone)).toBe(text);
});

it.each(['', 'yesterday', '2026-13-01 00:00:00'])('%j is no time', (text) => {
  expect(momentOf(text, NEW_YORK)).toBeUndefined();
});
