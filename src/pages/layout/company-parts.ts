import type { ListedKey } from '../../db/access/company-access.ts';
import type { Database, DatabaseTransaction } from '../../db/connection.ts';
import type { Wallet } from '../../db/ledger/account-statements.ts';
import { partnerBalances } from '../../db/ledger/ledger.ts';
import type { DayOfSales } from '../../db/ledger/sales.ts';
import type { DayOfPayouts } from '../../db/lists/redemptions.ts';
import type { MerchantTerms } from '../../db/vouchers/generation.ts';
import type { WebhookEndpoint } from '../../db/webhooks/endpoints.ts';
import { needsRotation } from '../../domain/access.ts';
import { amountText, parseMoney } from '../../domain/money.ts';
import { maskMsisdn } from '../../domain/phone.ts';
import { type Html, type HtmlValue, html, phrase } from '../../rendering/html.ts';
import type { KnownText } from '../language/language.ts';
import { badge, facts, money, numberColumn, type TableColumn, time } from './parts.ts';

/** Parts of a company that its own people and support see alike. */

/** The labels of a partner's balances, in the order of the specification (2.10). */
export const walletLabels: Readonly<
  Record<Wallet, { readonly name: KnownText; readonly text: KnownText }>
> = {
  airtime: { name: 'Airtime wallet', text: 'Airtime and packages are paid from it.' },
  gift: { name: 'Gift wallet', text: 'Vouchers are generated from it.' },
  reserved: {
    name: 'Unused vouchers',
    text: 'The value of vouchers that is not used yet.',
  },
};

/** The columns of sales, next to that of the day. */
export const salesColumns: readonly TableColumn<
  Pick<DayOfSales, 'vouchers' | 'voucherAmount' | 'topups' | 'topupAmount'>
>[] = [
  numberColumn('Vouchers', 'vouchers'),
  numberColumn('ETB', ({ voucherAmount }) => amountText(voucherAmount)),
  numberColumn('Top-ups', 'topups'),
  numberColumn('ETB ', ({ topupAmount }) => amountText(topupAmount)),
];

/** The columns of payouts, next to that of the day. */
export const payoutColumns: readonly TableColumn<Omit<DayOfPayouts, 'day'>>[] = [
  numberColumn('Payouts', 'payouts'),
  numberColumn('Paid, ETB', ({ paid }) => amountText(paid)),
  numberColumn('Fees, ETB', ({ serviceFees }) => amountText(serviceFees)),
];

/** USD without unusual zeros. */
export const usd = (decimal: string): string => decimal.replace(/0{1,4}$/, '');

type LowWallet = Exclude<Wallet, 'reserved'>;

/** A partner's balances as cards. */
export async function walletCards(
  database: Database,
  partnerId: number,
  links: {
    /** The path above the account statements; undefined where the person may not read them. */
    readonly statements: string | undefined;
    /** How the person changes the low balance. */
    readonly change?: (wallet: LowWallet, low: string | null) => HtmlValue;
  },
): Promise<Html> {
  const { low: lows, ...balances } = await partnerBalances(database, partnerId);
  const cards = (Object.keys(walletLabels) as Wallet[]).map((wallet) => {
    const { name, text } = walletLabels[wallet];
    const balance = balances[wallet];
    return html`<section class="card figure"><h2>${phrase(name)}</h2>
<p class="amount">${money(balance)}</p>
<p class="quiet">${phrase(text)}</p>
${wallet !== 'reserved' && lowNote(balance, lows[wallet], links.change?.(wallet, lows[wallet]))}
${
  links.statements !== undefined &&
  html`<p><a href="${links.statements}/${wallet}">Statement<span class="visually-hidden">
of the ${phrase(name.toLowerCase())}</span></a></p>`
}</section>`;
  });
  return html`<div class="cards">${cards}</div>`;
}

/** Whether a balance is below its threshold; null is none. */
export const isLow = (balance: string, low: string | null): boolean =>
  low !== null && parseMoney(balance) < parseMoney(low);

/** Whether a wallet is low, and below which balance. */
function lowNote(balance: string, low: string | null, change: HtmlValue): Html {
  return html`<p>${isLow(balance, low) && badge('danger', 'Low')} ${low !== null && html`Low below ${money(low)}.`} ${change}</p>`;
}

/** The scopes of a key, and its daily limits. */
export function apiKeyPower({ scopes, dailyAmount, dailyOperations }: ListedKey): Html {
  const limits = [
    dailyAmount !== null && `${amountText(dailyAmount)} ETB a day`,
    dailyOperations !== null && `${dailyOperations} a day`,
  ].filter(Boolean);
  return html`${scopes.join(', ')}${limits.length > 0 && html`<br>${limits.join(', ')}`}`;
}

/** The state of an API key, and the end of one that has ended. */
export function apiKeyState(key: ListedKey): Html {
  const { status, revokedAt, expiresAt } = key;
  if (status === 'ENDING' && expiresAt)
    return html`${badge('warning', 'Ending')} ${time(expiresAt)}`;
  if (status === 'VALID')
    return needsRotation(key) ? badge('warning', 'Rotate') : badge('success', 'Valid');
  const at = revokedAt ?? expiresAt;
  return html`${status === 'REVOKED' ? 'Revoked' : 'Replaced'} ${at ? time(at) : ''}`;
}

/** The state of a webhook as a badge. */
export function webhookState({ status, failingSince }: WebhookEndpoint): Html {
  if (status === 'DISABLED') return badge('plain', 'Paused');
  if (status === 'SWITCHED_OFF') return badge('danger', 'Switched off');
  return failingSince === null
    ? badge('success', 'Active')
    : html`${badge('warning', 'Failing')} since ${time(failingSince)}`;
}

/** A change of a webhook: the details for the audit log, undefined where nothing changed. */
export type WebhookWork<Request> = (
  transaction: DatabaseTransaction,
  webhook: WebhookEndpoint,
  request: Request,
) => Promise<Readonly<Record<string, unknown>> | undefined>;

export const TEST_SENT = 'A test event is on its way. The answer appears below.';
export const TEST_NOT_SENT = 'A test event is on its way already, or the webhook is not active.';

/** A merchant's service fee and payout account, whose number is masked. */
export const termsFacts = (terms: MerchantTerms): Html =>
  facts({
    'Service fee': feeOf(terms),
    'Paid to': accountOf(terms),
    ...(terms.payout && { 'Paid there since': time(terms.payout.since) }),
  });

const feeOf = ({ serviceFeePercent }: MerchantTerms) =>
  serviceFeePercent === null
    ? phrase('Not set')
    : html`${Number(serviceFeePercent)} % of the redeemed amount`;

const kinds: Readonly<Record<string, string>> = {
  msisdn: 'Mobile money',
  accountid: 'Account',
  walletid: 'Wallet',
};

const accountOf = ({ payout }: MerchantTerms) =>
  payout === null
    ? phrase('Not set')
    : html`${phrase(kinds[payout.key] ?? payout.key)} <code>${maskMsisdn(payout.value)}</code>`;
