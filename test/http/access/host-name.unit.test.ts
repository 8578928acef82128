import { expect, test } from 'vitest';
import { parseHostName } from '../../../src/http/access/allowlist.ts';

test.each([
  ['shop.example', 'shop.example'],
  ['Till-1.Shop.EXAMPLE.', 'till-1.shop.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['ሱቅ.example', 'xn--oyd4b.example'],
  ['3com.example', '3com.example'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
])('%s is the name %s', (text, name) => {
  expect(parseHostName(text)).toBe(name);
});

test.each([
  '',
  'localhost',
  'example.',
  '*.shop.example',
  'shop..example',
  '.shop.example',
  '-shop.example',
  'shop-.example',
  'shop_1.example',
  'shop.example/24',
  'shop.example:443',
  'shop.example?x',
  'shop.example#x',
  'shop／24.example',
  'http://shop.example',
  'user@shop.example',
  'shop example.com',
  '127.1',
  '127.0.0.1',
  '1.2.3.4.',
  '0x7f000001',
  '0x7f.1',
  '1.2.3.0x4',
  '１２７.0.0.1',
  'shop.example.1',
  '::1',
  '[::1]',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  'a'.repeat(50_000),
  `shop.example\u0000`,
  'shop.exa\nmple',
])('%j is none', (text) => {
  // Nothing here takes a millisecond; a bad pattern takes minutes. A machine that holds it up uses no time of the CPU.
  const before = process.cpuUsage();
  expect(parseHostName(text)).toBeUndefined();
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
