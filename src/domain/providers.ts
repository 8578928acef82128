import { type Money, parseMoney } from './money.ts';
import type { Operator } from './phone.ts';
import type { TopupKind } from './topup.ts';

/** The providers of each kind, as settings, rows and addresses name them. */
export const smsProviderNames = ['africas-talking', 'smpp'] as const;
export const mobileMoneyProviderNames = ['gsma', 'mpesa'] as const;
export const airtimeProviderNames = ['dt-one', 'reloadly'] as const;

export type SmsProviderName = (typeof smsProviderNames)[number];
export type MobileMoneyProviderName = (typeof mobileMoneyProviderNames)[number];
export type AirtimeProviderName = (typeof airtimeProviderNames)[number];

/** The kinds of routes, and the providers for each. */
export const routedProviders = {
  sms: smsProviderNames,
  payout: mobileMoneyProviderNames,
  'topup-airtime': airtimeProviderNames,
  // A package is sold by the provider whose product id it has.
  'topup-package': ['dt-one'],
} as const satisfies Record<string, readonly string[]> & {
  'topup-package': readonly AirtimeProviderName[];
};

export type RouteKind = keyof typeof routedProviders;

/** The kind of route of a top-up. */
export const routeKindOf = (kind: TopupKind): RouteKind =>
  kind === 'PACKAGE' ? 'topup-package' : 'topup-airtime';

/** The names of all providers. */
export const allProviders = [...new Set(Object.values(routedProviders).flat())];
export type ProviderName = (typeof allProviders)[number];

export const routeKinds = Object.keys(routedProviders) as RouteKind[];

/** The names of the providers as people say them. */
const spokenNames: Readonly<Record<string, string>> = {
  'africas-talking': 'Africa’s Talking',
  smpp: 'SMPP',
  gsma: 'GSMA mobile money',
  mpesa: 'M-Pesa',
  'dt-one': 'DT One',
  reloadly: 'Reloadly',
} satisfies Record<ProviderName, string>;

/** The name of a provider as people say it; its own where it is not known any more. */
export const providerName = (provider: string): string => spokenNames[provider] ?? provider;

/** The providers that take a payment back from a merchant when they are asked: those whose adapter has `reversals`. */
const reversingProviders: readonly string[] = ['gsma'] satisfies MobileMoneyProviderName[];

export const takesBack = (provider: string): boolean => reversingProviders.includes(provider);

/** A route whose partner and merchant agree; null conditions hold always. */
export interface Route {
  readonly id: number;
  /** The turn of the route: the lowest is asked first. */
  readonly position: number;
  readonly provider: string;
  /** The share among routes of the same position. */
  readonly weight: number;
  readonly operator: Operator | null;
  /** Decimal strings, both included. */
  readonly amountFrom: string | null;
  readonly amountTo: string | null;
}

/** The facts that choose a provider. */
export interface Routed {
  readonly kind: RouteKind;
  readonly operator: Operator | undefined;
  /** Undefined for messages. */
  readonly amount: Money | undefined;
  /** A number above 0 and below 1 for a route: the same for each repetition of the operation. */
  readonly shareOf: (routeId: number) => number;
}

/**
 * The providers that serve an operation, the first to be asked first; none where no configured one
 * is for this kind. The default serves what no route decides; a route to a provider that is not
 * configured decides nothing.
 */
export function providersFor<Name extends string>(
  routes: readonly Route[],
  routed: Routed,
  configured: { readonly names: readonly Name[]; readonly defaultName: Name },
): Name[] {
  const able = configured.names.filter(
    (name) => routed.kind !== 'topup-package' || isFor(name, routed.kind),
  );
  const isAble = (name: string): name is Name => able.some((one) => one === name);
  const chosen = routes
    .filter((route) => decides(route, routed))
    .map((route) => ({ ...route, turn: turnOf(route, routed) }))
    .toSorted((a, b) => a.position - b.position || a.turn - b.turn)
    .map(({ provider }) => provider)
    .filter(isAble);
  if (chosen.length > 0) return [...new Set(chosen)];
  return isAble(configured.defaultName) ? [configured.defaultName] : able.slice(0, 1);
}

/** Whether there is a provider of this name for a kind. */
export const isFor = (name: string, kind: RouteKind): boolean =>
  routedProviders[kind].some((one: string) => one === name);

/** Whether a route leads an operation to a provider. */
export const isRoutedTo = (
  routes: readonly Route[],
  provider: string,
  routed: Pick<Routed, 'operator' | 'amount'>,
): boolean => routes.some((route) => route.provider === provider && decides(route, routed));

function decides(
  { operator, amountFrom, amountTo }: Route,
  routed: Pick<Routed, 'operator' | 'amount'>,
): boolean {
  if (operator !== null && operator !== routed.operator) return false;
  const { amount } = routed;
  if (amount === undefined) return amountFrom === null && amountTo === null;
  if (amountFrom !== null && amount < parseMoney(amountFrom)) return false;
  return amountTo === null || amount <= parseMoney(amountTo);
}

/**
 * Weighted rendezvous: the smallest turn comes first in as many operations as its weight says, and a
 * route that comes or goes changes the order of no others.
 */
const turnOf = ({ id, weight }: Route, { shareOf }: Routed): number =>
  -Math.log(shareOf(id)) / weight;

/**
 * The source of the end of a payment, a top-up or a reversal: the provider; the service, which sent nothing; or
 * staff, who settled it by hand.
 */
export type EndedBy = 'provider' | 'service' | 'staff';

/** How an order ended: only such a definite outcome ends a hold. The messages are for people. */
export type Ending =
  | {
      readonly kind: 'done';
      readonly providerReference: string;
      /** What the provider said of its reversal. The provider is then asked again at once. */
      readonly reversal?: string;
      readonly by: Exclude<EndedBy, 'service'>;
      /** The provider that did the order, where staff settled it for another provider than the present one. */
      readonly at?: string;
    }
  | { readonly kind: 'not-done'; readonly message: string; readonly by: EndedBy };

const lengthLimit = 200;

/** Seven digits or more in any script and grouping. */
const numberLike = /\+?\p{Nd}(?:[\s().\-/]*\p{Nd}){6,}/gu;
/**
 * Letters and digits without a gap, as keys and tokens are. The part of a token after its first dot
 * belongs to the token.
 */
const tokenLike = /(?<![\w-])(?=[\w+~-]*\d)(?=[\w+~-]*[a-z])[\w+~-]{20,}(?:\.[\w+~-]+)*=*/gi;
const controlCharacters = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/**
 * Makes a provider's message safe to pass on. Text like a phone or account number keeps only its
 * last two digits. Text like a key or a token and control characters are removed, and long texts
 * truncated.
 */
export function presentableMessage(words: string): string {
  return words
    .slice(0, 4 * lengthLimit)
    .replace(tokenLike, '***')
    .replace(numberLike, (found) => `***${found.replace(/\P{Nd}/gu, '').slice(-2)}`)
    .replace(controlCharacters, ' ')
    .trim()
    .slice(0, lengthLimit);
}

/** By how much a delivered amount may differ from the ordered one. */
export interface AmountTolerance {
  /** ETB */
  readonly fixed: number;
  /** The share of the ordered amount. */
  readonly share: number;
}

const exact: AmountTolerance = { fixed: 0, share: 0 };

/**
 * Reloadly converts birr into the account's currency and back, so that the delivered amount is
 * rounded twice. Half a cent of an account in dollars, euros or pounds is about a birr. A public
 * sample has 4.9985 delivered for 5. A larger difference is another order.
 */
const tolerances: Readonly<Record<string, AmountTolerance>> = {
  reloadly: { fixed: 1, share: 0.001 },
};

/** The tolerance of a provider, by its name; most deliver exactly what was ordered. */
export const amountTolerance = (provider: string): AmountTolerance => tolerances[provider] ?? exact;

/** Whether an amount in ETB is the ordered one, within the tolerance of the provider. */
export function isAmountDelivered(provider: string, ordered: number, delivered: number): boolean {
  const { fixed, share } = amountTolerance(provider);
  return Math.abs(delivered - ordered) <= fixed + share * ordered;
}

/**
 * The digits of a phone number in international form. Providers write one number as +251911234567,
 * 251911234567, 00251911234567, 0911234567 or 911234567. A number without a country code is Ethiopian.
 * No list of valid prefixes decides: a provider may pay a number that the list lacks.
 */
export const internationalDigits = (number: string): string =>
  number
    .replace(/\D/g, '')
    .replace(/^00/, '')
    .replace(/^0?([789]\d{8})$/, '251$1');

/**
 * The number (E.164) before the name of a party, as in "251911234567 - ABEBE KEBEDE". Undefined where
 * there is none, or where the provider hides digits.
 */
export function numberOfParty(party: string | null): string | undefined {
  const [number] = /^\+?\d{9,15}(?!\S)/.exec(party?.trim() ?? '') ?? [];
  return number === undefined ? undefined : `+${internationalDigits(number)}`;
}

/** The providers of value, and what each is for. */
export const statementProviders = {
  gsma: 'mobile-money',
  mpesa: 'mobile-money',
  'dt-one': 'airtime',
  reloadly: 'airtime',
} as const;

export type StatementProviderName = keyof typeof statementProviders;
export const statementProviderNames = Object.keys(statementProviders) as StatementProviderName[];
