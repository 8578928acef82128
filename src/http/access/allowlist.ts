import { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import {
  type AddressMatcher,
  canonicalRange,
  createAddressMatcher,
  rangesOverlap,
} from './source-address.ts';

/**
 * Result of a DNS query. `ok` is false when no server answered; a name without addresses is `ok`.
 */
type DnsAnswer =
  | {
      readonly ok: true;
      readonly addresses: readonly string[];
      readonly ttlSeconds: number;
      /** False when the query for IPv4 or for IPv6 failed. */
      readonly isWhole: boolean;
    }
  | { readonly ok: false };

/** Upper bound of plausible server lists. */
const MAXIMUM_ADDRESSES = 32;
/** The name or the record type does not exist: a definite answer. */
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Resolves a name to its IPv4 and IPv6 addresses. The service only compares them with callers; it
 * never connects to them. Outside the test environment only public addresses count, so that a name
 * cannot admit processes on this machine or in its private network.
 */
export function createDnsLookup(options: {
  /** `address` or `address:port`; empty for the servers of the system. */
  readonly servers: readonly string[];
  readonly timeoutMs: number;
  readonly allowsPrivate: boolean;
}) {
  const { servers, timeoutMs, allowsPrivate } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (servers.length > 0) resolver.setServers(servers);

  return {
    async lookUp(name: string): Promise<DnsAnswer> {
      const answers = await Promise.allSettled([
        resolver.resolve4(name, { ttl: true }),
        resolver.resolve6(name, { ttl: true }),
      ]);
      const records = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const isWhole = answers.every(
        (one) => one.status === 'fulfilled' || NOT_THERE.has(one.reason?.code),
      );
      if (records.length === 0 && !isWhole) return { ok: false };
      const addresses = records
        .map(({ address }) => address)
        .filter((address) => allowsPrivate || isPublic(address));
      return {
        ok: true,
        addresses: [...new Set(addresses)].slice(0, MAXIMUM_ADDRESSES),
        ttlSeconds: Math.min(...records.map(({ ttl }) => ttl), Number.MAX_SAFE_INTEGER),
        isWhole,
      };
    },
    stop: () => resolver.cancel(),
  };
}

type DnsLookup = ReturnType<typeof createDnsLookup>;

/** Public: not loopback, private, link-local, multicast or otherwise reserved. */
function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  return address.range() === 'unicast';
}

/** The addresses of registered host names, refreshed in the background. */
export interface AllowlistHostnames {
  /** The addresses of a name; undefined before its first answer. Never waits. */
  addressesOf(name: string): readonly string[] | undefined;
  /** Ends when each name that was registered at the start has been asked for. */
  readonly begun: Promise<void>;
  stop(): void;
}

interface Entry {
  addresses: readonly string[];
  isAnswered: boolean;
  /** Whether the queries for both address families succeeded. */
  isWhole: boolean;
  isAsking: boolean;
  /** Consecutive failures, complete or of one address family. */
  failures: number;
  /** Time of the next query, and the time until which the last answer stays valid without one. */
  dueAt: number;
  goodUntil: number;
  usedAt: number;
}

const MAXIMUM_WATCHED_NAMES = 10_000;
const MAXIMUM_QUESTIONS_AT_ONCE = 20;
/**
 * Limit of the exponential backoff of a name that does not resolve, so that it does not delay
 * others.
 */
const MAXIMUM_DOUBLINGS = 4;
const FORGOTTEN_AFTER_MS = 86_400_000;
const TICK_MS = 1_000;
const LIST_INTERVAL_MS = 60_000;

/** Stores an answer, or keeps the last one, and schedules the next query. */
function noteAnswer(
  entry: Entry,
  answer: DnsAnswer,
  times: {
    readonly minimumMs: number;
    readonly maximumMs: number;
    readonly staleMs: number;
    readonly now: number;
  },
): void {
  const { minimumMs, maximumMs, staleMs, now } = times;
  const isUseful = answer.ok && answer.isWhole && answer.addresses.length > 0;
  entry.failures = isUseful ? 0 : entry.failures + 1;
  const doublings = Math.min(entry.failures - 1, MAXIMUM_DOUBLINGS);
  entry.dueAt = now + Math.min(minimumMs * 2 ** doublings, maximumMs);
  if (!answer.ok) return;
  // An incomplete answer replaces only an incomplete or expired one.
  if (!answer.isWhole && entry.isWhole && now < entry.goodUntil) return;
  const lifeMs = Math.min(Math.max(answer.ttlSeconds * 1_000, minimumMs), maximumMs);
  const { addresses, isWhole } = answer;
  Object.assign(entry, { addresses, isWhole, isAnswered: true });
  entry.goodUntil = now + lifeMs + staleMs;
  if (isUseful) entry.dueAt = now + lifeMs;
}

/** `now` (milliseconds) is for tests, and so is a long `tickMs`. */
export function createAllowlistHostnames(options: {
  readonly lookup: DnsLookup;
  /** All registered names, so that a process resolves them before the first call. */
  readonly listNames: (limit: number) => Promise<readonly string[]>;
  readonly logger: Logger;
  /** Shortest and longest interval between queries of a name, whatever its time to live. */
  readonly minimumMs: number;
  readonly maximumMs: number;
  /** How long the last answer stays valid after its time to live, while no server answers. */
  readonly staleMs: number;
  readonly now?: () => number;
  readonly tickMs?: number;
}): AllowlistHostnames {
  const { lookup, logger, minimumMs, maximumMs, staleMs, now = () => performance.now() } = options;
  const entries = new Map<string, Entry>();
  let questions = 0;
  const nothingAsked = Promise.withResolvers<void>();

  const ask = async (name: string, entry: Entry) => {
    if (entry.isAsking || questions >= MAXIMUM_QUESTIONS_AT_ONCE) return;
    entry.isAsking = true;
    questions += 1;
    const answer = await lookup.lookUp(name).catch(() => ({ ok: false }) as const);
    questions -= 1;
    entry.isAsking = false;
    noteAnswer(entry, answer, { minimumMs, maximumMs, staleMs, now: now() });
    if (!answer.ok) logger.warn({ name }, 'A registered name could not be resolved');
    // Others may have found no place.
    refresh();
    if (questions === 0) nothingAsked.resolve();
  };
  const entryOf = (name: string): Entry | undefined => {
    const known = entries.get(name);
    if (known || entries.size >= MAXIMUM_WATCHED_NAMES) return known;
    const added: Entry = {
      addresses: [],
      isAnswered: false,
      isWhole: false,
      isAsking: false,
      failures: 0,
      dueAt: now(),
      goodUntil: 0,
      usedAt: now(),
    };
    entries.set(name, added);
    void ask(name, added);
    return added;
  };
  const refresh = () => {
    const due: [string, Entry][] = [];
    for (const [name, entry] of entries) {
      if (now() - entry.usedAt > FORGOTTEN_AFTER_MS) entries.delete(name);
      else if (entry.dueAt <= now() && !entry.isAsking) due.push([name, entry]);
    }
    // The longest wait first; otherwise the first names could take every turn.
    due.sort(([, one], [, other]) => one.dueAt - other.dueAt);
    for (const [name, entry] of due.slice(0, MAXIMUM_QUESTIONS_AT_ONCE)) void ask(name, entry);
  };
  const list = async () => {
    try {
      for (const name of await options.listNames(MAXIMUM_WATCHED_NAMES)) {
        const entry = entryOf(name);
        if (entry) entry.usedAt = now();
      }
    } catch (error) {
      logger.warn({ error: (error as Error).name }, 'Registered names could not be listed');
    }
  };
  const begun = list().then(() => (questions === 0 ? undefined : nothingAsked.promise));
  const timers = [
    setInterval(refresh, options.tickMs ?? TICK_MS),
    setInterval(() => void list(), LIST_INTERVAL_MS),
  ];
  for (const timer of timers) timer.unref();

  return {
    addressesOf(name) {
      const entry = entryOf(name);
      if (!entry) return [];
      entry.usedAt = now();
      if (entry.dueAt <= now()) void ask(name, entry);
      if (!entry.isAnswered) return undefined;
      return now() < entry.goodUntil ? entry.addresses : [];
    },
    begun,
    stop() {
      for (const timer of timers) clearInterval(timer);
      // Those that have found no place are not asked for any more.
      entries.clear();
      lookup.stop();
    },
  };
}

const MAXIMUM_LENGTH = 253;
/** The URL parser would silently cut other parts off: "shop.example/24" is no name. */
const WRITTEN = /^[a-z0-9.\-\u0080-\u{10ffff}]+$/iu;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Letters, or the punycode of a top-level domain in another script; never a number. */
const LAST_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Reads a fully qualified name in its DNS form: lower case, punycode, without the final dot.
 * Undefined for everything else: wildcards, single labels, and text that could be read as an
 * address ("127.1", "0x7f000001").
 */
export function parseHostName(text: string): string | undefined {
  if (text.length > MAXIMUM_LENGTH + 1 || !WRITTEN.test(text)) return undefined;
  const name = domainToASCII(text).replace(/\.$/, '').toLowerCase();
  const labels = name.split('.');
  const isName =
    name.length <= MAXIMUM_LENGTH &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    LAST_LABEL.test(labels.at(-1) ?? '');
  return isName ? name : undefined;
}

/** Names per company, since each needs repeated DNS queries. */
export const MAXIMUM_NAMES = 10;

/** Whether a registered entry is a host name. */
export const isAllowlistHostname = (entry: string): boolean => parseHostName(entry) !== undefined;

/** The shortest prefix lengths that a person of a company and an operator may register. */
const LEAST_BITS = {
  company: { ipv4: 16, ipv6: 32 },
  operator: { ipv4: 8, ipv6: 20 },
} as const;

/**
 * Where IPv6 holds all of IPv4, and behind how many bits an IPv4 address stands there. NAT64 networks of
 * one's own (RFC 8215) may place it further to the front, too: then their ranges hold even less of it.
 */
const EMBEDDED_IPV4: readonly { readonly range: string; readonly bitsBefore: number }[] = [
  { range: '::/96', bitsBefore: 96 },
  { range: '::ffff:0:0:0/96', bitsBefore: 96 },
  { range: '64:ff9b::/96', bitsBefore: 96 },
  { range: '64:ff9b:1::/48', bitsBefore: 96 },
  // Teredo: of its two addresses, that of the sender.
  { range: '2001::/32', bitsBefore: 96 },
  // 6to4
  { range: '2002::/16', bitsBefore: 16 },
];

/** The shortest prefix that an entry may have: one that holds IPv4 may hold no more than an IPv4 range. */
function leastBitsOf(entry: string, { ipv4, ipv6 }: (typeof LEAST_BITS)['company' | 'operator']) {
  if (!entry.includes(':')) return ipv4;
  const embedding = EMBEDDED_IPV4.filter(({ range }) => rangesOverlap(range, entry));
  return Math.max(ipv6, ...embedding.map(({ bitsBefore }) => bitsBefore + ipv4));
}

type ReadAllowlistEntry =
  | { readonly ok: true; readonly entry: string }
  | { readonly ok: false; readonly problem: 'unreadable' }
  | { readonly ok: false; readonly problem: 'too-wide'; readonly leastBits: number };

/**
 * Reads an entry of the allow-list: an address, a CIDR range or a fully qualified name. `entry` is
 * its canonical form, whose width counts: `::ffff:0:0/96` is all of IPv4.
 */
export function readAllowlistEntry(text: string, by: keyof typeof LEAST_BITS): ReadAllowlistEntry {
  const entry = canonicalRange(text) ?? parseHostName(text);
  if (entry === undefined) return { ok: false, problem: 'unreadable' };
  const leastBits = leastBitsOf(entry, LEAST_BITS[by]);
  const [, bits] = entry.split('/');
  return bits === undefined || Number(bits) >= leastBits
    ? { ok: true, entry }
    : { ok: false, problem: 'too-wide', leastBits };
}

/**
 * Whether a registered entry is effective. A range that is too wide to be registered admits no
 * request.
 */
export const countsAsSource = (entry: string): boolean => {
  const read = readAllowlistEntry(entry, 'operator');
  return read.ok || read.problem !== 'too-wide';
};

/** The addresses that a company may call from. */
export interface SourceCheck {
  readonly isRegisteredAddress: AddressMatcher;
  /** Whether a name is not resolved yet, so that a refusal may soon change. */
  readonly awaitsNames: () => boolean;
}

/** Reads a company's entries once; host names are evaluated for each call. */
export function createSourceCheck(
  entries: readonly string[],
  names: AllowlistHostnames,
): SourceCheck {
  const isListed = createAddressMatcher(entries.filter(countsAsSource));
  const named = entries.filter(isAllowlistHostname).slice(0, MAXIMUM_NAMES);
  // Resolution starts now rather than with the first call.
  for (const name of named) names.addressesOf(name);
  return {
    isRegisteredAddress: (address) =>
      isListed(address) ||
      named.some((name) => createAddressMatcher(names.addressesOf(name) ?? [])(address)),
    awaitsNames: () => named.some((name) => names.addressesOf(name) === undefined),
  };
}
