import type { TopupStatus } from '../../db/schema/all-tables.js';
import type { RedemptionState } from '../../db/vouchers/redemption-list.js';
import type { VoucherStatus } from '../../domain/voucher.js';
import type { Html } from '../../process/html.js';
import { badge } from './parts.js';

type Words<State extends string> = Readonly<
  Record<State, { readonly tone: Parameters<typeof badge>[0]; readonly word: string }>
>;

/** The states of things in words, by the names that the API has for them. */

export const voucherStates: Words<VoucherStatus> = {
  ACTIVE: { tone: 'success', word: 'Active' },
  REDEEM_INITIATED: { tone: 'warning', word: 'Waits for its code' },
  REDEEM_PROCESSING: { tone: 'warning', word: 'Being paid' },
  REDEEMED: { tone: 'plain', word: 'Redeemed' },
  EXPIRED: { tone: 'plain', word: 'Expired' },
  CANCELLED: { tone: 'plain', word: 'Cancelled' },
};

export const topupStates: Words<TopupStatus> = {
  PENDING: { tone: 'warning', word: 'Accepted' },
  PROCESSING: { tone: 'warning', word: 'Under way' },
  UNKNOWN: { tone: 'warning', word: 'Not known yet' },
  SUCCESS: { tone: 'success', word: 'Delivered' },
  FAILED: { tone: 'danger', word: 'Failed' },
};

/** Of a top-up whose provider has changed its word, in place of its state. */
export const topupTurns: Words<'LATE' | 'REVERSED'> = {
  LATE: { tone: 'warning', word: 'Delivered late' },
  REVERSED: { tone: 'warning', word: 'Taken back' },
};

export const redemptionStates: Words<RedemptionState> = {
  HELD: { tone: 'warning', word: 'Being paid' },
  POSTED: { tone: 'success', word: 'Paid' },
  VOIDED: { tone: 'danger', word: 'Not paid' },
  CONTRADICTED: { tone: 'warning', word: 'Paid late' },
  REVERSED: { tone: 'danger', word: 'Taken back' },
};

/** A state as a badge. */
export const stateBadge = <State extends string>(words: Words<State>, state: State): Html =>
  badge(words[state].tone, words[state].word);

/** The states by their words, for a list to choose from. */
export const stateOptions = <State extends string>(words: Words<State>): [State, string][] =>
  (Object.keys(words) as State[]).map((state) => [state, words[state].word]);
