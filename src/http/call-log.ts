import type { Logger } from 'pino';
import {
  type AdmittedCall,
  addAdmittedCalls,
  addRefusedCalls,
  type RefusedCall,
} from '../db/access/calls.ts';
import { type Database, isDatabaseUnavailable } from '../db/connection.ts';
import { addressGroup } from './access/source-address.ts';

/** A refused call at the moment of its refusal. */
type Refused = Omit<RefusedCall, 'leftOut'>;

/** Refusals of one address for one reason: the first few are passed on, the others counted. */
interface Burst {
  readonly until: number;
  passedOn: number;
  leftOut: number;
  last: Refused;
}

const BURST_MS = 60_000;
const PASSED_ON_OF_BURST = 5;
const MAXIMUM_BURSTS = 10_000;

/** Aggregates bursts of refusals, and hands the result to `passOn`. */
function createRefusalBursts(passOn: (call: RefusedCall) => void, now: () => number) {
  const bursts = new Map<string, Burst>();
  /** The last call of a burst carries the count of the others. */
  const end = (key: string, { leftOut, last }: Burst) => {
    bursts.delete(key);
    if (leftOut > 0) passOn({ ...last, leftOut: leftOut - 1 });
  };
  return {
    add(call: Refused): void {
      const { company, reason, sourceAddress } = call;
      // The owner of an IPv6 network has a practically unlimited number of addresses.
      const key = `${addressGroup(sourceAddress)} ${reason} ${company?.kind} ${company?.id}`;
      const burst = bursts.get(key);
      if (burst && burst.until > now() && burst.passedOn >= PASSED_ON_OF_BURST) {
        Object.assign(burst, { leftOut: burst.leftOut + 1, last: call });
        return;
      }
      if (burst && burst.until > now()) burst.passedOn += 1;
      else {
        if (burst) end(key, burst);
        if (bursts.size < MAXIMUM_BURSTS)
          bursts.set(key, { until: now() + BURST_MS, passedOn: 1, leftOut: 0, last: call });
      }
      passOn({ ...call, leftOut: 0 });
    },
    /** Ends the bursts whose window is over, or all. */
    endBursts(which: 'due' | 'all'): void {
      for (const [key, burst] of bursts)
        if (which === 'all' || burst.until <= now()) end(key, burst);
    },
  };
}

/** Rows of one write: many refusals must not cause many writes. */
const MAXIMUM_ROWS = 50;
/** Rows of one company in a write, so that it cannot displace the refusals of others. */
const MAXIMUM_OF_COMPANY = 20;
/** Rows of unauthenticated calls in a write; anybody can send any number of these. */
const MAXIMUM_OF_NOBODY = 10;
const MAXIMUM_OF_NOBODY_AN_HOUR = 1_000;
const HOUR_MS = 3_600_000;
/** The source address of a row that stands for calls from several addresses. */
const SEVERAL_ADDRESSES = 'several';

/**
 * Buffers refusals between two writes to the database. Each company has a share of each write, so that no caller can
 * fill the table or displace the refusals of others. Unauthenticated calls have a small share and an hourly limit; the
 * rest of them is written once an hour as a count per reason.
 */
function createRefusedCallBuffer(now: () => number) {
  let rows: RefusedCall[] = [];
  let dropped = 0;
  let hour = { until: now() + HOUR_MS, rows: 0 };
  const remainder = new Map<string, RefusedCall>();

  const countOf = (company: RefusedCall['company']) =>
    rows.filter((row) => row.company?.kind === company?.kind && row.company?.id === company?.id)
      .length;
  const ofCompanies = createRefusalBursts((call) => {
    const hasPlace = rows.length < MAXIMUM_ROWS && countOf(call.company) < MAXIMUM_OF_COMPANY;
    if (hasPlace) rows.push(call);
    else dropped += 1 + call.leftOut;
  }, now);
  const ofNobody = createRefusalBursts((call) => {
    const hasPlace = rows.length < MAXIMUM_ROWS && countOf(null) < MAXIMUM_OF_NOBODY;
    if (hasPlace && hour.rows < MAXIMUM_OF_NOBODY_AN_HOUR) {
      rows.push(call);
      hour.rows += 1;
      return;
    }
    const counted = remainder.get(call.reason);
    const leftOut = counted ? counted.leftOut + 1 + call.leftOut : call.leftOut;
    const from = { sourceAddress: SEVERAL_ADDRESSES, keyPrefix: null };
    remainder.set(call.reason, { ...call, ...from, leftOut });
  }, now);

  return {
    add: (call: Refused): void => (call.company ? ofCompanies : ofNobody).add(call),
    /** The rows to write now, and the number of dropped refusals of companies. */
    take(which: 'due' | 'all') {
      for (const bursts of [ofCompanies, ofNobody]) bursts.endBursts(which);
      if (which === 'all' || hour.until <= now()) {
        rows.push(...remainder.values());
        remainder.clear();
        hour = { until: now() + HOUR_MS, rows: 0 };
      }
      const taken = { rows, dropped };
      rows = [];
      dropped = 0;
      return taken;
    },
    /** Returns rows that could not be written. */
    putBack(unwritten: readonly RefusedCall[]): void {
      rows = [...unwritten, ...rows].slice(0, MAXIMUM_ROWS);
    },
  };
}

export type CallRecorder = ReturnType<typeof createCallRecorder>;

/** Newest calls of each key since the last flush; the table keeps only a few. */
const MAXIMUM_ADMITTED_OF_KEY = 5;
const MAXIMUM_KEYS = 1_000;

/** Records accepted and refused calls, asynchronously to the calls. `now` is for tests. */
export function createCallRecorder(
  database: Database,
  options: {
    readonly logger: Logger;
    readonly intervalMs: number;
    readonly now?: () => number;
  },
) {
  const { logger, now = Date.now } = options;
  const refusals = createRefusedCallBuffer(now);
  let admitted = new Map<string, AdmittedCall[]>();

  const write = async (which: 'due' | 'all') => {
    const { rows, dropped } = refusals.take(which);
    const calls = [...admitted.values()].flat();
    admitted = new Map();
    if (dropped > 0) logger.warn({ dropped }, 'Refused calls beyond the limit were not recorded');
    try {
      if (rows.length > 0) await addRefusedCalls(database, rows);
    } catch (error) {
      logger.warn({ error: (error as Error).name }, 'Could not record refused calls');
      if (isDatabaseUnavailable(error)) refusals.putBack(rows);
      return;
    }
    try {
      if (calls.length > 0) await addAdmittedCalls(database, calls);
    } catch (error) {
      // Lost records of accepted calls are harmless: later calls replace them.
      logger.warn({ error: (error as Error).name }, 'Could not record accepted calls');
    }
  };
  /** One write at a time. */
  let writing = Promise.resolve();
  const flush = (which: 'due' | 'all') => {
    writing = writing.then(() => write(which));
    return writing;
  };
  const timer = setInterval(() => void flush('due'), options.intervalMs);
  timer.unref();
  return {
    admitted(call: AdmittedCall): void {
      const key = `${call.company.kind} ${call.company.id} ${call.apiKeyId}`;
      const calls = admitted.get(key);
      if (!calls && admitted.size < MAXIMUM_KEYS) admitted.set(key, [call]);
      if (!calls) return;
      calls.push(call);
      if (calls.length > MAXIMUM_ADMITTED_OF_KEY) calls.shift();
    },
    refused: refusals.add,
    /** Writes the buffered calls. */
    flush: () => flush('due'),
    /** Writes the buffered calls, and records no more. */
    stop(): Promise<void> {
      clearInterval(timer);
      return flush('all');
    },
  };
}
