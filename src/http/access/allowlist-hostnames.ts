import type { Logger } from 'pino';
import type { DnsAnswer, DnsLookup } from './dns-lookup.ts';

/** The addresses of registered host names, refreshed in the background. */
export interface AllowlistHostnames {
  /** The addresses of a name; undefined before its first answer. Never waits. */
  addressesOf(name: string): readonly string[] | undefined;
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

const MAXIMUM_NAMES = 10_000;
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

  const ask = async (name: string, entry: Entry) => {
    if (entry.isAsking || questions >= MAXIMUM_QUESTIONS_AT_ONCE) return;
    entry.isAsking = true;
    questions += 1;
    const answer = await lookup.lookUp(name).catch(() => ({ ok: false }) as const);
    questions -= 1;
    entry.isAsking = false;
    noteAnswer(entry, answer, { minimumMs, maximumMs, staleMs, now: now() });
    if (!answer.ok) logger.warn({ name }, 'A registered name could not be resolved');
  };
  const entryOf = (name: string): Entry | undefined => {
    const known = entries.get(name);
    if (known || entries.size >= MAXIMUM_NAMES) return known;
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
      for (const name of await options.listNames(MAXIMUM_NAMES)) {
        const entry = entryOf(name);
        if (entry) entry.usedAt = now();
      }
    } catch (error) {
      logger.warn({ error: (error as Error).name }, 'Registered names could not be listed');
    }
  };
  void list();
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
    stop() {
      for (const timer of timers) clearInterval(timer);
      lookup.stop();
    },
  };
}
