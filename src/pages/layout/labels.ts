import type { LedgerTransfer } from '../../db/ledger/ledger.ts';
import type { RedemptionState } from '../../db/lists/redemptions.ts';
import type { ListedTopup } from '../../db/lists/topups.ts';
import type { ListedVoucher } from '../../db/lists/vouchers.ts';
import type { TopupStatus } from '../../domain/topup.ts';
import type { ReversalState } from '../../domain/vouchers/redemption.ts';
import type { VoucherStatus } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import type { KnownText } from '../language/language.ts';
import { ACCESS_PATH } from '../page.ts';
import { amountColumn, badge, table, timeColumn } from './parts.ts';

/** Explains a refused call and its remedy; the reasons are those of src/domain/reasons.ts. */
const refusalWords: Readonly<
  Record<string, (sourceAddress: string, detail: string | null | undefined) => Html>
> = {
  'api-key-invalid':
    () => html`The key is not valid: it is unknown, revoked or expired, or it belongs to the
other environment. <a href="${ACCESS_PATH}#keys">Check your keys.</a>`,
  'token-invalid':
    () => html`The token is missing, older than 300 seconds, or its key was revoked. Log in
again and send the new one in the header <code>x-api-token</code>.`,
  'address-not-registered': (
    sourceAddress,
  ) => html`The address is not registered: the call came from
<code>${sourceAddress}</code>. If that is not your server, your key was leaked:
<a href="${ACCESS_PATH}#keys">revoke it.</a>`,
  'signature-invalid': (_sourceAddress, detail) =>
    html`${
      detail ??
      `The signature does not match the body under any of your public keys, or its time is wrong. Sign
exactly the bytes that you send. The answer to the call says which mistake it was.`
    } <a href="/docs/guides/sign-requests#what-each-refusal-means">The guide explains each mistake.</a>`,
  'signed-request-reused':
    () => html`The signed request, or its message, was used before for a different
request. Use a new message for each request, such as the time.`,
  'too-many-requests': () => html`There were too many calls. Wait for the seconds of the header
<code>Retry-After</code>.`,
  'account-suspended': () => html`The account was suspended.`,
};

/** The explanation of one refused call; `detail` is what its record says was wrong. */
export const refusalLabel = (reason: string, sourceAddress: string, detail?: string | null): Html =>
  refusalWords[reason]?.(sourceAddress, detail) ?? html`The call was refused (${reason}).`;

/** The number of further similar calls, which are only counted. */
export const omittedLabel = (leftOut: number): Html | false =>
  leftOut > 0 && html` <span class="quiet">And ${leftOut} more like it.</span>`;

/** The route below the base address of its API. */
export const shortRoute = ({ route }: { readonly route: string }): string =>
  route.replace(/^\/api\/v1\/(merchant\/)?client/, '');

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

/** Replaces the state of an active voucher whose newest payment was not made. */
const activeButRefused = { tone: 'warning', word: 'Active, payment refused' } as const;

/** The state of a voucher, including a refused payment. */
export const voucherState = ({
  status,
  isRefused,
}: Pick<ListedVoucher, 'status' | 'isRefused'>): (typeof voucherStates)[VoucherStatus] =>
  status === 'ACTIVE' && isRefused ? activeButRefused : voucherStates[status];

/** The badge of that state. */
export function voucherBadge(voucher: Pick<ListedVoucher, 'status' | 'isRefused'>): Html {
  const { tone, word } = voucherState(voucher);
  return badge(tone, word);
}

export const topupStates: Words<TopupStatus> = {
  PENDING: { tone: 'warning', word: 'Accepted' },
  PROCESSING: { tone: 'warning', word: 'In progress' },
  UNKNOWN: { tone: 'warning', word: 'Unknown yet' },
  SUCCESS: { tone: 'success', word: 'Delivered' },
  FAILED: { tone: 'danger', word: 'Failed' },
};

/** Replaces the state of a top-up after a late delivery or a reversal. */
const topupTurns: Words<'LATE' | 'REVERSED'> = {
  LATE: { tone: 'warning', word: 'Delivered late' },
  REVERSED: { tone: 'warning', word: 'Reversed' },
};

/** The product that was sent. */
export const productOf = ({ kind, productName }: ListedTopup): Html | string =>
  kind === 'AIRTIME' ? phrase('Airtime') : (productName ?? phrase('Package'));

/** The state of a top-up, including a late delivery or a reversal. */
export const topupState = ({ status, lateDelivery, reversal }: ListedTopup) => {
  if (reversal && !reversal.isCredited) return topupTurns.REVERSED;
  return lateDelivery ? topupTurns.LATE : topupStates[status];
};

/** The badge of that state. */
export function topupBadge(topup: ListedTopup): Html {
  const { tone, word } = topupState(topup);
  return badge(tone, word);
}

export const redemptionStates: Words<RedemptionState> = {
  HELD: { tone: 'warning', word: 'Being paid' },
  POSTED: { tone: 'success', word: 'Paid' },
  VOIDED: { tone: 'danger', word: 'Not paid' },
  CONTRADICTED: { tone: 'warning', word: 'Paid late' },
  REVERSED: { tone: 'danger', word: 'Reversed' },
};

/** Shown with a paid redemption while its merchant reversal is under way, or after it was refused. */
export const reversalLabels: Words<Exclude<ReversalState, 'SUCCESS'>> = {
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

/**
 * Labels of transfers for the partner that owns the money: "debited account > credited account".
 */
const transferWords: Readonly<Record<string, KnownText>> = {
  'gift > reserved': 'From the gift wallet, reserved for the voucher',
  'reserved > gift-hold': 'On hold for the payment to the merchant',
  'gift-hold > mobile-money-clearing': 'Paid to the merchant',
  'gift-hold > service-fees': 'Service fee',
  'gift-hold > reserved': 'Not paid: the hold was released to the voucher',
  'mobile-money-clearing > reserved': 'Payment reversed: on the voucher again',
  'service-fees > reserved': 'Service fee of the reversed payment',
  'mobile-money-clearing > gift': 'Payment reversed: returned to the gift wallet',
  'reserved > gift': 'Remaining value returned to the gift wallet',
  'airtime > airtime-hold': 'From the airtime wallet, on hold',
  'airtime-hold > airtime-clearing': 'Delivered and charged',
  'airtime-hold > airtime': 'Not delivered: returned to the airtime wallet',
  'suspense > mobile-money-clearing': 'The provider paid; nobody was charged for it',
  'suspense > airtime-clearing': 'The provider delivered; nobody was charged for it',
  'reserved > suspense': 'Late payment charged to the voucher, as agreed',
  'reserved > service-fees': 'Service fee of the late payment',
  'gift > suspense': 'Late payment charged to the gift wallet, as agreed',
  'gift > service-fees': 'Service fee of the late payment',
  'airtime > suspense': 'Late delivery charged to the airtime wallet, as agreed',
  'service-fees > suspense': 'Settled: the service bears the cost',
  'mobile-money-clearing > suspense': 'The provider paid less, or took the payment back',
  'airtime-clearing > suspense': 'The provider delivered less, or took it back',
  'suspense > reserved': 'Payment taken back: on the voucher again',
  'suspense > gift': 'Returned to the gift wallet',
  'service-fees > gift': 'Service fee returned to the gift wallet',
  'suspense > airtime': 'Returned to the airtime wallet',
  'suspense > service-fees': 'Settled: the service keeps it',
};

const wordsOf = ({ debit, credit }: LedgerTransfer): string =>
  transferWords[`${debit} > ${credit}`] ?? `From ${debit} to ${credit}`;

/** A table of transfers with the purpose of each. */
export const ledgerHistory = (moves: readonly LedgerTransfer[], none?: Html): Html =>
  table(
    'How the money moved',
    moves,
    [
      timeColumn('When', 'at'),
      { title: 'What', phone: 'head', value: (move) => phrase(wordsOf(move)) },
      amountColumn(({ amount }) => amount),
    ],
    none,
  );
