import { expect, test } from 'vitest';
import {
  beginningOf,
  fileTime,
  inTimeZone,
  offsetText,
  zonedTime,
} from '../../../src/pages/language/time-zone.ts';

test.each([
  ['Africa/Addis_Ababa', '2026-11-22', '2026-11-21T21:00:00.000Z'],
  ['UTC', '2026-11-22', '2026-11-22T00:00:00.000Z'],
  // The clocks change in the night, and at midnight itself.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z'],
  ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
  // A day without a midnight, west and east of Greenwich.
  ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00.000Z'],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
])('in %s the day %s begins at %s', (zone, day, begins) => {
  expect(inTimeZone(zone, () => beginningOf(day).toISOString())).toBe(begins);
});

test('a time is shown by the clocks of the zone, in a file with its offset', () => {
  const date = new Date('2026-11-22T21:05:07.123Z');
  expect(inTimeZone('Africa/Addis_Ababa', () => zonedTime(date))).toEqual({
    day: '2026-11-23',
    time: '00:05:07',
  });
  expect(inTimeZone('Africa/Addis_Ababa', () => fileTime(date))).toBe('2026-11-23T00:05:07+03:00');
  expect(inTimeZone('America/New_York', () => fileTime(date))).toBe('2026-11-22T16:05:07-05:00');
  expect(inTimeZone('UTC', () => offsetText(date))).toBe('+00:00');
});
