import { describe, expect, it } from 'vitest';
import {
  canonicalRange,
  clientAddress,
  createAddressMatcher,
} from '../../../src/http/access/source-address.ts';

describe('createAddressMatcher', () => {
  const matches = createAddressMatcher([
    '203.0.113.7',
    '192.168.0.0/16',
    '2001:db8::/32',
    '2a00:1450::1',
    '::ffff:198.51.100.4',
    '::ffff:172.16.0.0/108',
    'partner.example.com',
    '127.1',
  ]);

  it.each([
    ['the address', '203.0.113.7', true],
    ['its mapped form', '::ffff:203.0.113.7', true],
    ['its mapped form in hex', '::FFFF:cb00:7107', true],
    ['an address registered in its mapped form', '198.51.100.4', true],
    ['a neighbour', '203.0.113.8', false],
    ['the range', '192.168.255.1', true],
    ['outside the range', '192.169.0.1', false],
    ['a mapped range', '172.31.0.1', true],
    ['outside a mapped range', '172.32.0.1', false],
    ['an IPv6 range', '2001:db8:ffff::1', true],
    ['outside an IPv6 range', '2001:db9::1', false],
    ['an IPv6 address written out', '2a00:1450:0:0:0:0:0:1', true],
    ['an IPv6 address with a zone', '2a00:1450::1%eth0', true],
    ['a name', 'partner.example.com', false],
    ['an unreadable entry', '127.0.0.1', false],
    ['octal parts', '0313.0.0161.7', false],
    ['nothing', '', false],
    ['spaces', ' 203.0.113.7', false],
    ['a long text', '1'.repeat(50_000), false],
    ['a long text of colons', ':'.repeat(50_000), false],
  ])('finds %s', (_, address, expected) => {
    expect(matches(address)).toBe(expected);
  });

  it('lets nobody in without entries', () => {
    expect(createAddressMatcher([])('127.0.0.1')).toBe(false);
  });

  it('lets everybody in with the range of all', () => {
    expect(createAddressMatcher(['0.0.0.0/0'])('8.8.8.8')).toBe(true);
    expect(createAddressMatcher(['0.0.0.0/0'])('2001:db8::1')).toBe(false);
  });
});

describe('canonicalRange', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['203.0.113.7/28', '203.0.113.0/28'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::1', '::1'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:db8::7/64', '2001:db8::/64'],
    ['2001:db8::7/128', '2001:db8::7'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::ffff:a01:203', '10.1.2.3'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ])('writes "%s" as %s', (text, expected) => {
    expect(canonicalRange(text)).toBe(expected);
  });

  it.each([
    '::ffff:10.0.0.0/95',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0',
    '256.0.0.1',
    '2130706433',
    '0x7f000001',
    'example.com',
    '',
    '0.0.0.0',
    '0.0.0.0/8',
    '::',
    '::ffff:0.0.0.0',
    '224.0.0.1',
    '239.0.0.0/8',
    '255.255.255.255',
    'ff02::1',
    'fe80::1%eth0',
  ])('takes "%s" for nothing that calls come from', (text) => {
    expect(canonicalRange(text)).toBeUndefined();
  });
});

describe('clientAddress', () => {
  const isTrusted = createAddressMatcher(['127.0.0.1', '10.0.0.0/8', '::1']);

  it.each([
    ['no proxy', '203.0.113.7', undefined, '203.0.113.7'],
    ['a mapped connection', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['a header from nobody we trust', '203.0.113.7', '198.51.100.4', '203.0.113.7'],
    ['one proxy', '127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['one proxy over IPv6', '::1', '2001:DB8::1', '2001:db8::1'],
    ['two proxies', '127.0.0.1', '203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['a forged first hop', '127.0.0.1', '198.51.100.4, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['a forged trusted hop', '127.0.0.1', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['a mapped hop', '127.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['spaces and tabs', '127.0.0.1', ' 203.0.113.7 ,\t10.1.2.3 ', '203.0.113.7'],
    ['a proxy that wrote no header', '127.0.0.1', undefined, '127.0.0.1'],
    ['an empty header', '127.0.0.1', '', '127.0.0.1'],
    ['only proxies', '127.0.0.1', '10.1.2.3', '10.1.2.3'],
    ['garbage', '127.0.0.1', '203.0.113.7, unknown', '127.0.0.1'],
    ['garbage behind a proxy', '127.0.0.1', '203.0.113.7, x, 10.1.2.3', '10.1.2.3'],
    ['an empty hop', '127.0.0.1', '203.0.113.7,,', '127.0.0.1'],
    ['ten thousand hops', '127.0.0.1', `203.0.113.7${',10.0.0.1'.repeat(10_000)}`, '203.0.113.7'],
    ['no connection', undefined, '203.0.113.7', undefined],
  ])('with %s', (_, remoteAddress, header, expected) => {
    expect(clientAddress(remoteAddress, header, isTrusted)).toBe(expected);
  });
});
