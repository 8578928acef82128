import type { Logger } from 'pino';
import type { DnsAnswer, DnsLookup } from './dns-lookup.js';

/** The addresses of the names that companies may call from, kept up to date off the request path. */
export interface AllowlistHostnames {
  /** The addresses of a name; undefined while its first answer is awaited. Never waits. */
  addressesOf(name: string): readonly string[] | undefined;
  stop(): void;
}

interface Entry {
  addresses: readonly string[];
  isAnswered: boolean;
  /** Whether the addresses are of both kinds, as far as there are any. */
  isWhole: boolean;
  isAsking: boolean;
  /** Times in a row that asking led to no address, or to half of them. */
  failures: number;
  /** When it is to be asked for again, and until when the last answer counts if nobody answers. */
  dueAt: number;
  goodUntil: number;
  usedAt: number;
}

const MAXIMUM_NAMES = 10_000;
const MAXIMUM_QUESTIONS_AT_ONCE = 20;
/** Pauses double so often: dead names must not keep honest ones from being asked for. */
const MAXIMUM_DOUBLINGS = 4;
const FORGOTTEN_AFTER_MS = 86_400_000;
const TICK_MS = 1_000;
const LIST_INTERVAL_MS = 60_000;

/** Takes over an answer, or goes on with the last one, and says when to ask again. */
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
  // Half an answer must not shut out the other half; it counts where there is nothing better.
  if (!answer.isWhole && entry.isWhole && now < entry.goodUntil) return;
  const lifeMs = Math.min(Math.max(answer.ttlSeconds * 1_000, minimumMs), maximumMs);
  const { addresses, isWhole } = answer;
  Object.assign(entry, { addresses, isWhole, isAnswered: true });
  entry.goodUntil = now + lifeMs + staleMs;
  if (isUseful) entry.dueAt = now + lifeMs;
}

/** `now` (milliseconds) is for tests; so is a `tickMs` in which nothing happens by itself. */
export function createAllowlistHostnames(options: {
  readonly lookup: DnsLookup;
  /** All names that are registered, so that a process knows them before the first call. */
  readonly listNames: (limit: number) => Promise<readonly string[]>;
  readonly logger: Logger;
  /** How often a name is asked for at the most and at the least, whatever its time to live says. */
  readonly minimumMs: number;
  readonly maximumMs: number;
  /** So long the last answer counts beyond its time while no server answers. */
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
    // Whoever has waited longest: otherwise the first names could take every turn.
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
