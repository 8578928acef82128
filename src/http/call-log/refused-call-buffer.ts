import type { RefusedCall } from '../../db/access/calls.ts';
import { createRefusalBursts, type Refused } from './refusal-bursts.ts';

/** Buffer of refused calls between two writes to the database. */
export interface RefusedCallBuffer {
  add(call: Refused): void;
  /** The rows to write now, and the number of dropped refusals of companies. */
  take(which: 'due' | 'all'): { readonly rows: RefusedCall[]; readonly dropped: number };
  /** Returns rows that could not be written. */
  putBack(rows: readonly RefusedCall[]): void;
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
 * Buffers refusals fairly: each company has a share of each write, so that nobody can fill the
 * table or displace the refusals of others. Unauthenticated calls have a small share and an hourly
 * limit; the rest of them is written once an hour as a count per reason.
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
