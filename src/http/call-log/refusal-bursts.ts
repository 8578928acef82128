import type { RefusedCall } from '../../db/access/calls.ts';
import { addressGroup } from '../access/source-address.ts';

/** A refused call at the moment of its refusal. */
export type Refused = Omit<RefusedCall, 'leftOut'>;

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
export function createRefusalBursts(passOn: (call: RefusedCall) => void, now: () => number) {
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
