import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsAsSource, readAllowlistEntry } from '../../../src/http/access/allowlist.ts';
import { createAddressMatcher } from '../../../src/http/access/source-address.ts';

const accepted = (text: string, by: 'company' | 'operator') => readAllowlistEntry(text, by).ok;

describe('ranges that hold all of IPv4', () => {
  it.each([
    '0.0.0.0/0',
    '::/0',
    '::/96',
    '::ffff:0:0/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b::/32',
    '64:ff9b:1::/48',
    '64:ff9b:1::/64',
    '64:ff9b:1:fffe::/96',
    '2001::/32',
    '2001::/20',
    '2001:0:a00:1::/64',
    '2002::/16',
    '2000::/3',
  ])('%s is refused to everybody, and lets nobody in', (range) => {
    expect([accepted(range, 'company'), accepted(range, 'operator')]).toEqual([false, false]);
    expect(countsAsSource(range)).toBe(false);
  });

  it.each([
    ['64:ff9b::203.0.113.7', true, true],
    ['64:ff9b::203.0.0.0/112', true, true],
    ['64:ff9b::203.0.0.0/111', false, true],
    ['64:ff9b::203.0.0.0/104', false, true],
    ['64:ff9b::203.0.0.0/103', false, false],
    ['2002:cb00::/32', true, true],
    ['2002:cb00::/31', false, true],
    ['2002:c000::/24', false, true],
    ['2002:c000::/23', false, false],
    ['::1', true, true],
    ['2001:db8::/32', true, true],
    ['2001:db8::/31', false, true],
    ['2a00::/20', false, true],
    ['2a00::/19', false, false],
  ])('%s may be registered by a company: %s, by an operator: %s', (range, company, operator) => {
    expect([accepted(range, 'company'), accepted(range, 'operator')]).toEqual([company, operator]);
  });
});

type Octets = readonly [number, number, number, number];

const hex = (high: number, low: number): string => (high * 256 + low).toString(16);
const halves = ([a, b, c, d]: Octets): string => `${hex(a, b)}:${hex(c, d)}`;
const inverted = (octets: Octets): Octets => octets.map((octet) => 255 - octet) as never;

/** How an IPv4 address is written, in all of IPv6. */
const writings: Readonly<Record<string, (address: Octets) => string>> = {
  mapped: (address) => `::ffff:${halves(address)}`,
  compatible: (address) => `::${halves(address)}`,
  translated: (address) => `::ffff:0:${halves(address)}`,
  'NAT64 that everybody knows': (address) => `64:ff9b::${halves(address)}`,
  'NAT64 of a network, behind 96 bits': (address) => `64:ff9b:1:2:3:4:${halves(address)}`,
  'NAT64 of a network, behind 64 bits': ([a, b, c, d]) =>
    `64:ff9b:1:2:${hex(0, a)}:${hex(b, c)}:${hex(d, 0)}:0`,
  'NAT64 of a network, behind 48 bits': ([a, b, c, d]) =>
    `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}:0:0`,
  Teredo: (address) => `2001:0:0:0:0:0:${halves(inverted(address))}`,
  '6to4': (address) => `2002:${halves(address)}::`,
};

const octet = fc.integer({ min: 0, max: 255 });
const octets = fc.tuple(octet, octet, octet, octet);

it('an address whose last group has digits alone is read as every other one', () => {
  const read = readAllowlistEntry('::ffff:a/112', 'company');
  expect(read).toEqual({ ok: true, entry: '::ffff:0/112' });
  expect(createAddressMatcher(['::ffff:0/112'])('::ffff:a')).toBe(true);
});

it.each([
  ['company', 16],
  ['operator', 8],
] as const)('a %s registers no more of IPv4 than a /%i, however it is written', (by, bits) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(writings)),
      octets,
      fc.integer({ min: 0, max: 128 }),
      fc.integer({ min: 0, max: bits - 1 }),
      (write, address, prefix, bit) => {
        const far = address.map((value, index) =>
          index === bit >> 3 ? value ^ (128 >> (bit & 7)) : value,
        ) as unknown as Octets;
        const read = readAllowlistEntry(`${write(address)}/${prefix}`, by);
        if (!read.ok) return;
        const matches = createAddressMatcher([read.entry]);
        expect([matches(write(address)), matches(write(far))]).toEqual([true, false]);
      },
    ),
    { numRuns: 5_000 },
  );
});
