import type { Logger } from 'pino';
import {
  type AdmittedCall,
  addAdmittedCalls,
  addRefusedCalls,
  type RefusedCall,
  removeOldRefusedCalls,
} from '../db/calls.js';
import { type Database, isDatabaseUnavailable } from '../db/connection.js';

/** Takes down which calls were let in and which were refused, off the way of the calls. */
export interface CallRecorder {
  admitted(call: AdmittedCall): void;
  refused(call: Omit<RefusedCall, 'leftOut'>): void;
  /** Writes what has gathered. */
  flush(): Promise<void>;
  /** Writes what has gathered, and takes no more. */
  stop(): Promise<void>;
}

/** Refusals of one address for one reason: the first few are written, the rest counted. */
interface Burst {
  readonly until: number;
  written: number;
  leftOut: number;
  last: Omit<RefusedCall, 'leftOut'>;
}

const BURST_MS = 60_000;
const WRITTEN_OF_BURST = 5;
const MAXIMUM_BURSTS = 10_000;
/** Rows of a flush: a flood of refusals must not become a flood of writes. */
const MAXIMUM_REFUSED = 50;
/** Of each key: the newest calls since the last flush; the table keeps only a few anyway. */
const MAXIMUM_ADMITTED_OF_KEY = 5;
const MAXIMUM_KEYS = 1_000;
const TIDY_INTERVAL_MS = 3_600_000;

/** `now` is for tests. */
export function createCallRecorder(
  database: Database,
  options: {
    readonly logger: Logger;
    readonly intervalMs: number;
    readonly now?: () => number;
  },
): CallRecorder {
  const { logger, now = Date.now } = options;
  const bursts = new Map<string, Burst>();
  let refused: RefusedCall[] = [];
  let admitted = new Map<string, AdmittedCall[]>();
  let dropped = 0;

  const queue = (call: RefusedCall) => {
    if (refused.length < MAXIMUM_REFUSED) refused.push(call);
    else dropped += 1 + call.leftOut;
  };
  /** What a burst has left out is written with the last call of it. */
  const endBurst = (key: string, { leftOut, last }: Burst) => {
    bursts.delete(key);
    if (leftOut > 0) queue({ ...last, leftOut: leftOut - 1 });
  };
  const write = async () => {
    const calls = { refused, admitted: [...admitted.values()].flat() };
    refused = [];
    admitted = new Map();
    if (dropped > 0) logger.warn({ dropped }, 'Too many refused calls to write them all');
    dropped = 0;
    try {
      if (calls.refused.length > 0) await addRefusedCalls(database, calls.refused);
      calls.refused = [];
      if (calls.admitted.length > 0) await addAdmittedCalls(database, calls.admitted);
    } catch (error) {
      logger.warn({ error: (error as Error).name }, 'Calls could not be recorded');
      // Refusals wait for the database; which calls were let in is soon known again.
      if (isDatabaseUnavailable(error))
        refused = [...calls.refused, ...refused].slice(0, MAXIMUM_REFUSED);
    }
  };
  /** One at a time. */
  let writing = Promise.resolve();
  const flush = (isDue: (burst: Burst) => boolean) => {
    for (const [key, burst] of bursts) if (isDue(burst)) endBurst(key, burst);
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(({ until }) => until <= now()), options.intervalMs);
  timer.unref();
  const tidy = () =>
    removeOldRefusedCalls(database).catch((error: Error) =>
      logger.warn({ error: error.name }, 'Old refused calls could not be removed'),
    );
  const tidyTimer = setInterval(() => void tidy(), TIDY_INTERVAL_MS);
  tidyTimer.unref();

  return {
    admitted(call) {
      const key = `${call.company.kind} ${call.company.id} ${call.apiKeyId}`;
      const calls = admitted.get(key);
      if (!calls && admitted.size < MAXIMUM_KEYS) admitted.set(key, [call]);
      if (!calls) return;
      calls.push(call);
      if (calls.length > MAXIMUM_ADMITTED_OF_KEY) calls.shift();
    },
    refused(call) {
      const { company, reason, sourceAddress } = call;
      const key = `${sourceAddress} ${reason} ${company?.kind} ${company?.id}`;
      const burst = bursts.get(key);
      if (burst && burst.until > now() && burst.written >= WRITTEN_OF_BURST) {
        Object.assign(burst, { leftOut: burst.leftOut + 1, last: call });
        return;
      }
      if (burst && burst.until > now()) burst.written += 1;
      else {
        if (burst) endBurst(key, burst);
        if (bursts.size < MAXIMUM_BURSTS)
          bursts.set(key, { until: now() + BURST_MS, written: 1, leftOut: 0, last: call });
      }
      queue({ ...call, leftOut: 0 });
    },
    flush: () => flush(({ until }) => until <= now()),
    stop() {
      clearInterval(timer);
      clearInterval(tidyTimer);
      return flush(() => true);
    },
  };
}
