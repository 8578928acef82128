import type { TopupStatus } from '../../db/schema/all-tables.ts';
import type { RedemptionState } from '../../db/vouchers/lists/redemption-list.ts';
import type { VoucherStatus } from '../../domain/voucher.ts';
import type { ReversalState } from '../../domain/vouchers/reversal.ts';
import type { Html } from '../../rendering/html.ts';
import { badge } from './parts.ts';

type Words<State extends string> = Readonly<
  Record<State, { readonly tone: Parameters<typeof badge>[0]; readonly word: string }>
>;

/** Labels of states, by their names in the API. */

export const voucherStates: Words<VoucherStatus> = {
  ACTIVE: { tone: 'success', word: 'Active' },
  REDEEM_INITIATED: { tone: 'warning', word: 'Waiting for the code' },
  REDEEM_PROCESSING: { tone: 'warning', word: 'Being paid' },
  REDEEMED: { tone: 'plain', word: 'Redeemed' },
  EXPIRED: { tone: 'plain', word: 'Expired' },
  CANCELLED: { tone: 'plain', word: 'Cancelled' },
};

export const topupStates: Words<TopupStatus> = {
  PENDING: { tone: 'warning', word: 'Accepted' },
  PROCESSING: { tone: 'warning', word: 'In progress' },
  UNKNOWN: { tone: 'warning', word: 'Unknown yet' },
  SUCCESS: { tone: 'success', word: 'Delivered' },
  FAILED: { tone: 'danger', word: 'Failed' },
};

/** Replaces the state of a top-up after a late delivery or a reversal. */
export const topupTurns: Words<'LATE' | 'REVERSED'> = {
  LATE: { tone: 'warning', word: 'Delivered late' },
  REVERSED: { tone: 'warning', word: 'Reversed' },
};

export const redemptionStates: Words<RedemptionState> = {
  HELD: { tone: 'warning', word: 'Being paid' },
  POSTED: { tone: 'success', word: 'Paid' },
  VOIDED: { tone: 'danger', word: 'Not paid' },
  CONTRADICTED: { tone: 'warning', word: 'Paid late' },
  REVERSED: { tone: 'danger', word: 'Reversed' },
};

/** Shown beside a paid redemption while its reversal is under way, or after it was refused. */
export const reversalStates: Words<Exclude<ReversalState, 'SUCCESS'>> = {
  PENDING: { tone: 'warning', word: 'Being reversed' },
  NEEDS_ACTION: { tone: 'warning', word: 'Reversal with support' },
  FAILED: { tone: 'plain', word: 'Reversal refused' },
};

/** The badge of a state. */
export const stateBadge = <State extends string>(words: Words<State>, state: State): Html =>
  badge(words[state].tone, words[state].word);

/** The states with their labels, for a selection. */
export const stateOptions = <State extends string>(words: Words<State>): [State, string][] =>
  (Object.keys(words) as State[]).map((state) => [state, words[state].word]);
