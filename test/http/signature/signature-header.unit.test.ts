import { expect, it } from 'vitest';
import { splitSignatureHeader } from '../../../src/http/signature/verify-signature.ts';

const text = (header: string, encoding: BufferEncoding = 'base64') =>
  Buffer.from(header).toString(encoding);

it.each([
  ['a backslash and n', 'MEUC+/==\\norder-7', 'MEUC+/==', 'order-7'],
  ['a line break of Windows, with backslashes', 'MEUC\\r\\norder-7', 'MEUC', 'order-7'],
  ['the first of two', 'MEUC\\na\\nb', 'MEUC', 'a\\nb'],
  ['a message that is percent-encoded itself', 'MEUC\\na%0Ab%20', 'MEUC', 'a%0Ab%20'],
  ['no message', 'MEUC\\n', 'MEUC', ''],
  ['no signature', '\\norder-7', '', 'order-7'],
  ['%0A', 'MEUC+/==%0Aorder-7', 'MEUC+/==', 'order-7'],
  ['%0a', 'MEUC%0aorder-7', 'MEUC', 'order-7'],
  ['%0D%0A', 'MEUC%0D%0Aorder-7', 'MEUC', 'order-7'],
  [
    'everything percent-encoded',
    encodeURIComponent('MEUC+/==\n2026-01-01T12:00:00+03:00'),
    'MEUC+/==',
    '2026-01-01T12:00:00+03:00',
  ],
  ['a second %0A', 'MEUC%0Aa%0Ab', 'MEUC', 'a\nb'],
  ['a per cent sign that encodes nothing', 'MEUC%0A5% off%2', 'MEUC', '5% off%2'],
  ['percent-encoded UTF-8', encodeURIComponent('MEUC\nሰ'), 'MEUC', '\xe1\x88\xb0'],
  ['base64', text('MEUC+/==\norder-7'), 'MEUC+/==', 'order-7'],
  ['base64 without padding', text('MEUC\norder-77').replace(/=+$/, ''), 'MEUC', 'order-77'],
  ['base64url', text('MEUC\n>>>???', 'base64url'), 'MEUC', '>>>???'],
  ['base64 of CR LF', text('MEUC\r\norder-7'), 'MEUC', 'order-7'],
  ['base64 of two lines', text('MEUC\na\nb'), 'MEUC', 'a\nb'],
  ['base64 of UTF-8', text('MEUC\nሰ'), 'MEUC', '\xe1\x88\xb0'],
])('%s is read', (_, header, signature, message) => {
  expect(splitSignatureHeader(header)).toEqual({ signature, message });
});

it.each([
  ['a signature alone', 'MEUCIQCBPvecyg=='],
  ['a word', 'signature'],
  ['base64 of a text without a line break', text('MEUC order-7')],
  ['base64 of bytes with a line feed', text('\x30\x45\x02\n\x21')],
  ['base64 that mixes the alphabets', `${text('MEUC\norder-7')}-+`],
  ['base64 with a space', ` ${text('MEUC\norder-7')}`],
])('%s is not', (_, header) => {
  expect(splitSignatureHeader(header)).toBeUndefined();
});
