import { formatAmount, type Money } from '../domain/money.ts';
import { providersFor, type Route, type Routed } from '../domain/providers/routes.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import type { ProviderSet } from './provider-set.ts';

/** The providers that may carry one operation out. */
export interface ProviderChoice<Name extends string> {
  /** Those that can carry an amount, the first to be asked first. */
  candidates(amount: Money): Name[];
  /**
   * The first of them that takes calls now, of those with money where there is one; or why nothing is to
   * be held. Where somebody wants a certain one, it is that or none.
   */
  choose(
    amount: Money,
    wanted?: string | null,
  ): { readonly ok: true; readonly provider: Name } | Refusal;
}

/** The choice for one operation; a repetition of it has the same one while routes do not change. */
export function choiceFor<Name extends string, Port extends { canCarry(amount: string): boolean }>(
  set: ProviderSet<Name, Port>,
  {
    routes,
    canServe = () => true,
    ...routed
  }: Omit<Routed, 'amount'> & {
    readonly routes: readonly Route[];
    /** What the provider must be able to do besides. */
    readonly canServe?: (port: Port, amount: Money, name: Name) => boolean;
  },
): ProviderChoice<Name> {
  const candidates = (amount: Money) =>
    providersFor(routes, { ...routed, amount }, set).filter((name) => {
      const port = set.named(name);
      return port.canCarry(formatAmount(amount)) && canServe(port, amount, name);
    });
  return {
    candidates,
    choose(amount, wanted = null) {
      const able = candidates(amount).filter((name) => wanted === null || name === wanted);
      if (wanted !== null && able.length === 0) return doesNotServe(wanted);
      const available = able.filter((name) => set.isAvailable(name));
      const provider = available.find((name) => set.hasMoney(name)) ?? available[0];
      return provider === undefined ? outOfOrder : { ok: true, provider };
    },
  };
}

const doesNotServe = (wanted: string) =>
  refuse('unavailable', {
    detail: `${wanted} does not serve it, and nothing was held or sent; the routes decide where none is named`,
    retryAfterSeconds: 5,
  });

const outOfOrder = refuse('unavailable', {
  detail: 'the provider is out of order, and nothing was held or sent',
  retryAfterSeconds: 5,
});
