import { type Money, parseMoney } from '../money.ts';
import type { Operator } from '../operator.ts';
import type { TopupKind } from '../topup.ts';
import {
  type AirtimeProviderName,
  airtimeProviderNames,
  mobileMoneyProviderNames,
  smsProviderNames,
} from './provider-names.ts';

/** What is routed, and which providers there are for it. */
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

/** What is routed of a top-up. */
export const routeKindOf = (kind: TopupKind): RouteKind =>
  kind === 'PACKAGE' ? 'topup-package' : 'topup-airtime';

/** The names of all providers. */
export const allProviders = [...new Set(Object.values(routedProviders).flat())];

export const routeKinds = Object.keys(routedProviders) as RouteKind[];

/** A route whose partner and merchant agree; null conditions hold always. */
export interface Route {
  readonly id: number;
  /** The first is asked first. */
  readonly position: number;
  readonly provider: string;
  /** The share among routes of the same position. */
  readonly weight: number;
  readonly operator: Operator | null;
  /** Decimal strings, both included. */
  readonly amountFrom: string | null;
  readonly amountTo: string | null;
}

/** What a provider is chosen for. */
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
