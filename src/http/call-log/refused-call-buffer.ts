import type { RefusedCall } from '../../db/access/calls.js';
import { createRefusalBursts, type Refused } from './refusal-bursts.js';

/** Refused calls between two writes to the database. */
export interface RefusedCallBuffer {
  add(call: Refused): void;
  /** What is to be written now, and how many refusals of companies found no place. */
  take(which: 'due' | 'all'): { readonly rows: RefusedCall[]; readonly dropped: number };
  /** Gives back what could not be written. */
  putBack(rows: readonly RefusedCall[]): void;
}

/** Rows of a write: a flood of refusals must not become a flood of writes. */
const MAXIMUM_ROWS = 50;
/** Of these, one company's: it must not hide what is refused to the others. */
const MAXIMUM_OF_COMPANY = 20;
/** Of these, calls of nobody in particular, which anybody can make as many of as there are. */
const MAXIMUM_OF_NOBODY = 10;
const MAXIMUM_OF_NOBODY_AN_HOUR = 1_000;
const HOUR_MS = 3_600_000;
/** Instead of an address, in a row that stands for calls from anywhere. */
const SEVERAL_ADDRESSES = 'several';

/**
 * Gathers refusals so that nobody can fill the table or hide what is refused to another: companies
 * have shares of each write, calls of nobody in particular a small one and so many rows an hour.
 * What is more of these is told once an hour, as a count for each reason.
 */
export function createRefusedCallBuffer(now: () => number): RefusedCallBuffer {
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
    add: (call) => (call.company ? ofCompanies : ofNobody).add(call),
    take(which) {
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
    putBack(unwritten) {
      rows = [...unwritten, ...rows].slice(0, MAXIMUM_ROWS);
    },
  };
}
