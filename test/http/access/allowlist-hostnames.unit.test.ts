import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AllowlistHostnames,
  createAllowlistHostnames,
  createDnsLookup,
  createSourceCheck,
} from '../../../src/http/access/allowlist.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { until } from '../../support/until.ts';

/** Names that companies call from, against a real resolver and a DNS server that says what it must. */
const NAME = 'till.shop.example';
const PUBLIC = '203.0.114.7';
let dns: DnsServer;
let names: AllowlistHostnames;
let now: number;
const lookUps: Promise<unknown>[] = [];

beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns?.stop());
beforeEach(() => {
  dns.replies.clear();
  dns.questions.length = 0;
  now = 0;
  names = begin('production');
});
afterEach(() => names.stop());

function begin(
  environment: 'test' | 'production',
  {
    listed = [],
    timeoutMs = 20_000,
  }: {
    readonly listed?: readonly string[];
    readonly timeoutMs?: number;
  } = {},
): AllowlistHostnames {
  const lookup = createDnsLookup({
    servers: [dns.address],
    timeoutMs,
    allowsPrivate: environment === 'test',
  });
  lookUps.length = 0;
  return createAllowlistHostnames({
    lookup: {
      ...lookup,
      lookUp(name) {
        const answer = lookup.lookUp(name);
        lookUps.push(answer);
        return answer;
      },
    },
    listNames: async () => listed,
    logger: pino({ level: 'silent' }),
    minimumMs: 30_000,
    maximumMs: 3_600_000,
    staleMs: 600_000,
    now: () => now,
    tickMs: 3_600_000,
  });
}

/** Where the server is silent: an answer may take as long on a busy machine, and is asked for again. */
const IMPATIENT = { timeoutMs: 200 };
function beginImpatiently(): void {
  names.stop();
  names = begin('production', IMPATIENT);
}

const becomes = (addresses: readonly string[]) =>
  until(() => expect(names.addressesOf(NAME)?.toSorted()).toEqual(addresses.toSorted()));
/** Until both kinds of record were asked for again. */
const isAskedAgain = (times: number) => until(() => expect(dns.questions).toHaveLength(2 * times));

/** Until what was asked so often is answered, or has failed, and is taken in. */
const isAnswered = async (times: number) => {
  await until(() => expect(lookUps).toHaveLength(times));
  await Promise.all(lookUps);
  await new Promise((resolve) => setImmediate(resolve));
};

test('a name is unknown until its first answer, and nobody waits for it', async () => {
  dns.replies.set(NAME, { addresses: [PUBLIC, '2606:4700::1'] });
  const check = createSourceCheck([NAME, '198.51.100.1'], names);
  expect(check.isRegisteredAddress(PUBLIC)).toBe(false);
  expect(check.isRegisteredAddress('198.51.100.1')).toBe(true);
  expect(check.awaitsNames()).toBe(true);
  await becomes([PUBLIC, '2606:4700::1']);
  expect(check.awaitsNames()).toBe(false);
  expect(check.isRegisteredAddress(PUBLIC)).toBe(true);
  expect(check.isRegisteredAddress(`::ffff:${PUBLIC}`)).toBe(true);
  expect(check.isRegisteredAddress('2606:4700:0::1')).toBe(true);
  expect(check.isRegisteredAddress('203.0.114.8')).toBe(false);
});

test('registered names are known before the first call', async () => {
  dns.replies.set(NAME, { addresses: [PUBLIC] });
  names.stop();
  names = begin('production', { listed: [NAME] });
  await isAskedAgain(1);
  await becomes([PUBLIC]);
  expect(dns.questions).toHaveLength(2);
});

test('of many registered names each is known once all have begun', async () => {
  const listed = Array.from({ length: 45 }, (_, index) => `n${index}.shop.example`);
  for (const name of listed) dns.replies.set(name, { addresses: [PUBLIC] });
  names.stop();
  names = begin('production', { listed });
  await names.begun;
  for (const name of listed) expect([name, names.addressesOf(name)]).toEqual([name, [PUBLIC]]);
});

test('an alias counts as the addresses that it leads to', async () => {
  dns.replies.set(NAME, { addresses: [PUBLIC], via: 'edge.network.example' });
  await becomes([PUBLIC]);
});

describe('in production', () => {
  test.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['172.16.0.1'],
    ['192.168.1.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['0.0.0.0'],
    ['224.0.0.1'],
    ['255.255.255.255'],
    ['192.0.2.1'],
    ['::1'],
    ['::'],
    ['fe80::1'],
    ['fd00::1'],
    ['ff02::1'],
    ['::ffff:127.0.0.1'],
  ])('%s is nobody’s address', async (address) => {
    dns.replies.set(NAME, { addresses: [address, PUBLIC] });
    await becomes([PUBLIC]);
  });

  test('a name that was public and turns to loopback loses what it had', async () => {
    dns.replies.set(NAME, { addresses: [PUBLIC], ttl: 60 });
    await becomes([PUBLIC]);
    dns.replies.set(NAME, { addresses: ['127.0.0.1'], ttl: 60 });
    now += 60_000;
    names.addressesOf(NAME);
    await becomes([]);
  });
});

test('in the test environment private addresses count', async () => {
  dns.replies.set(NAME, { addresses: ['127.0.0.1'] });
  names.stop();
  names = begin('test');
  await becomes(['127.0.0.1']);
});

test('of hundreds of addresses the first 32 count', async () => {
  const many = Array.from({ length: 200 }, (_, index) => `203.0.115.${index + 1}`);
  dns.replies.set(NAME, { addresses: many });
  await until(() => expect(names.addressesOf(NAME)).toHaveLength(32));
});

test.each([
  ['0 seconds is asked for twice a minute', 0, 29_999, 30_000],
  ['a year is asked for every hour', 31_536_000, 3_599_999, 3_600_000],
  ['two minutes is asked for when they are over', 120, 119_999, 120_000],
])('a time to live of %s', async (_what, ttl, still, due) => {
  dns.replies.set(NAME, { addresses: [PUBLIC], ttl });
  await becomes([PUBLIC]);
  now = still;
  for (let call = 0; call < 100; call += 1) names.addressesOf(NAME);
  expect(dns.questions).toHaveLength(2);
  now = due;
  for (let call = 0; call < 100; call += 1) names.addressesOf(NAME);
  await isAskedAgain(2);
});

test('a name that is gone matches nothing any more', async () => {
  dns.replies.set(NAME, { addresses: [PUBLIC] });
  await becomes([PUBLIC]);
  dns.replies.set(NAME, 'NXDOMAIN');
  now += 60_000;
  expect(names.addressesOf(NAME)).toEqual([PUBLIC]);
  await becomes([]);
});

test.each(['silence', 'SERVFAIL'] as const)(
  'after %s the last answer counts for its time and a bounded while longer',
  async (fault) => {
    if (fault === 'silence') beginImpatiently();
    dns.replies.set(NAME, { addresses: [PUBLIC], ttl: 60 });
    await becomes([PUBLIC]);
    dns.replies.set(NAME, fault);
    now += 60_000;
    names.addressesOf(NAME);
    await until(() => expect(dns.questions.length).toBeGreaterThanOrEqual(4));
    now += 599_999;
    expect(names.addressesOf(NAME)).toEqual([PUBLIC]);
    now += 1;
    expect(names.addressesOf(NAME)).toEqual([]);
    dns.replies.set(NAME, { addresses: [PUBLIC] });
    await until(() => {
      now += 30_000;
      expect(names.addressesOf(NAME)).toEqual([PUBLIC]);
    });
  },
);

describe('half an answer, IPv4 or IPv6 alone,', () => {
  const both = ['203.0.114.9', '2606:4700::2'];
  beforeEach(beginImpatiently);

  test.each([
    ['A', PUBLIC],
    ['AAAA', '2606:4700::1'],
  ] as const)(
    'replaces no whole one while that still counts (silent on %s)',
    async (silentOn, kept) => {
      dns.replies.set(NAME, { addresses: [PUBLIC, '2606:4700::1'], ttl: 60 });
      await becomes([PUBLIC, '2606:4700::1']);
      dns.replies.set(NAME, { addresses: both, ttl: 3_600, silentOn });
      now += 60_000;
      names.addressesOf(NAME);
      await isAnswered(2);
      expect(names.addressesOf(NAME)).toContain(kept);
      dns.replies.set(NAME, { addresses: both, ttl: 3_600 });
      now += 30_000;
      await becomes(both);
    },
  );

  test('counts where there is nothing better, and is asked for again soon', async () => {
    dns.replies.set(NAME, { addresses: both, ttl: 3_600, silentOn: 'AAAA' });
    await becomes(['203.0.114.9']);
    dns.replies.set(NAME, { addresses: both, ttl: 3_600 });
    now += 30_000;
    await becomes(both);
  });
});

test('a name that is never answered opens nothing', async () => {
  beginImpatiently();
  dns.replies.set(NAME, 'silence');
  const check = createSourceCheck([NAME], names);
  await isAskedAgain(1);
  expect(check.isRegisteredAddress('127.0.0.1')).toBe(false);
  expect(check.awaitsNames()).toBe(true);
});

test.each([
  ['answers nothing', 'SERVFAIL', 7],
  ['is not there', 'NXDOMAIN', 7],
  ['answers half', { addresses: [PUBLIC], ttl: 3_600, silentOn: 'AAAA' }, 4],
] as const)('a name that %s is asked for less and less often', async (_what, reply, times) => {
  if (typeof reply !== 'string') beginImpatiently();
  dns.replies.set(NAME, reply);
  const seconds = times === 7 ? 1_800 : 240;
  for (let passed = 0; passed <= seconds; passed += 30) {
    now = passed * 1_000;
    names.addressesOf(NAME);
    await isAnswered(lookUps.length);
  }
  // After 0, 30, 90, 210, 450, 930 and 1410 seconds.
  expect(lookUps).toHaveLength(times);
});

test('names that are never answered keep none of the others from being asked for', async () => {
  const dead = Array.from({ length: 30 }, (_, index) => `dead${index}.example`);
  for (const name of dead) dns.replies.set(name, 'silence');
  dns.replies.set(NAME, { addresses: [PUBLIC] });
  names.stop();
  names = begin('production', { ...IMPATIENT, listed: [...dead, NAME] });
  await names.begun;
  expect(names.addressesOf(NAME)).toEqual([PUBLIC]);
});

test('of a company’s names only the first ten are ever asked for', async () => {
  const list = Array.from({ length: 30 }, (_, index) => `n${index}.shop.example`);
  createSourceCheck(list, names);
  await isAskedAgain(10);
});
