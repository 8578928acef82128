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
import {
  amountColumn,
  badge,
  type ShownState,
  stateWord,
  table,
  textColumn,
  timeColumn,
} from './parts.ts';

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

type Words<State extends string> = Readonly<Record<State, ShownState>>;

/** Labels of states, by their names in the API. */

export const voucherStates: Words<VoucherStatus> = {
  ACTIVE: ['success', 'Active'],
  REDEEM_INITIATED: ['warning', 'Waiting for the code'],
  REDEEM_PROCESSING: ['warning', 'Being paid'],
  REDEEMED: ['plain', 'Redeemed'],
  EXPIRED: ['plain', 'Expired'],
  CANCELLED: ['plain', 'Cancelled'],
};

/** Replaces the state of an active voucher whose newest payment was not made. */
const activeButRefused = ['warning', 'Active, payment refused'] as const;

/** The state of a voucher, including a refused payment. */
export const voucherState = ({
  status,
  isRefused,
}: Pick<ListedVoucher, 'status' | 'isRefused'>): ShownState =>
  status === 'ACTIVE' && isRefused ? activeButRefused : voucherStates[status];

/** The badge of that state. */
export const voucherBadge = (voucher: Parameters<typeof voucherState>[0]): Html =>
  badge(...voucherState(voucher));

export const topupStates: Words<TopupStatus> = {
  PENDING: ['warning', 'Accepted'],
  PROCESSING: ['warning', 'In progress'],
  UNKNOWN: ['warning', 'Unknown yet'],
  SUCCESS: ['success', 'Delivered'],
  FAILED: ['danger', 'Failed'],
};

/** Replaces the state of a top-up after a late delivery or a reversal. */
const topupTurns: Words<'LATE' | 'REVERSED'> = {
  LATE: ['warning', 'Delivered late'],
  REVERSED: ['warning', 'Reversed'],
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
export const topupBadge = (topup: ListedTopup): Html => badge(...topupState(topup));

export const redemptionStates: Words<RedemptionState> = {
  HELD: ['warning', 'Being paid'],
  POSTED: ['success', 'Paid'],
  VOIDED: ['danger', 'Not paid'],
  CONTRADICTED: ['warning', 'Paid late'],
  REVERSED: ['danger', 'Reversed'],
};

/** Shown with a paid redemption while its merchant reversal is under way, or after it was refused. */
export const reversalLabels: Words<Exclude<ReversalState, 'SUCCESS'>> = {
  PENDING: ['warning', 'Being reversed'],
  NEEDS_ACTION: ['warning', 'Reversal with support'],
  FAILED: ['plain', 'Reversal refused'],
};

/** The states with their labels, for a selection. */
export const stateOptions = <State extends string>(words: Words<State>): [State, string][] =>
  (Object.keys(words) as State[]).map((state) => [state, stateWord(words[state])]);

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
      textColumn('What', (move) => phrase(wordsOf(move)), 'head'),
      amountColumn(({ amount }) => amount),
    ],
    none,
  );
