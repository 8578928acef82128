import { expect, it } from 'vitest';
import { checkFreshness } from '../../../src/http/signature/verify-signature.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

it.each([
  ['2026-01-01T12:00:00Z', 'time'],
  ['2026-01-01T12:00:00.123Z', 'time'],
  ['2026-01-01T12:00:00.123456789Z', 'time'],
  ['2026-01-01T12:00Z', 'time'],
  ['2026-01-01T12:00:00', 'time'],
  ['2026-01-01t12:00:00z', 'time'],
  ['20260101T120000Z', 'time'],
  ['2026-01-01T15:00:00+03:00', 'time'],
  ['2026-01-01T15:00:00+0300', 'time'],
  ['2026-01-01T11:55:00Z', 'time'],
  ['2026-01-01T12:05:00Z', 'time'],
  [String(NOW), 'time'],
  [String(NOW / 1_000), 'time'],
  ['2026-01-01T11:54:59Z', 'stale'],
  ['2026-01-01T12:05:01Z', 'stale'],
  ['2026-01-01T12:00:00+03:00', 'stale'],
  ['1999-01-01T12:00:00Z', 'stale'],
  ['1234567890', 'stale'],
  ['1234567890123', 'stale'],
  ['2026-01-01', 'id'],
  ['2026-13-41T12:00:00Z', 'id'],
  ['12:00:00', 'id'],
  ['123456789', 'id'],
  ['12345678901', 'id'],
  ['١٧٦٧٢٦٨٨٠٠', 'id'],
  [` ${NOW}`, 'id'],
  ['0b9d1a3e-1f2c-4c57-9f5a-0d8c3f5f9a11', 'id'],
  ['order-7', 'id'],
])('takes %s for %s', (message, kind) => {
  expect(checkFreshness(message, NOW)).toBe(kind);
});
