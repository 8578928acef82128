import { maskMsisdn } from './phone.ts';

/** A payout account as people and the audit log see it: its key, and its value masked. */
export const maskedAccount = ({ key, value }: { readonly key: string; readonly value: string }) =>
  `${key} ${maskMsisdn(value)}`;

/**
 * What the check of a payout account ended with. `name-differs`: its holder is not whom the operator
 * registered. `not-offered`: the provider does not answer the question, or does not tell the holder
 * that is registered.
 */
export type PayoutAccountState = 'open' | 'closed' | 'name-differs' | 'not-offered';

/**
 * Whether a payment may be sent, and the provider is not asked again. A registered holder must be
 * confirmed: by the provider, or by an operator.
 */
export const isPayable = (state: PayoutAccountState, registeredHolder: string | null): boolean =>
  state === 'open' || (state === 'not-offered' && registeredHolder === null);

/** With these nothing is sent to the account. */
export const refusedStates = [
  'closed',
  'name-differs',
] as const satisfies readonly PayoutAccountState[];

/**
 * With these a merchant may not be paid: `not-offered` only while no provider confirms a registered
 * holder.
 */
export const unpaidStates = [...refusedStates, 'not-offered'] as const;

const remedies: Readonly<Record<PayoutAccountState, string>> = {
  open: '',
  closed: 'not paid: ask the merchant for its account, then run merchant payout-account set',
  'name-differs':
    'not paid: ask the merchant who holds it, then run merchant payout-account set with --holder',
  'not-offered':
    'not paid by this provider: find out who holds it, then run merchant payout-account confirm',
};

/** The task of a person about an account in a state; null where it is paid. */
export const accountRemedy = (
  state: PayoutAccountState | null,
  registeredHolder: string | null,
): string | null => (state === null || isPayable(state, registeredHolder) ? null : remedies[state]);

/** The answers of the providers about the payout account of a merchant. */
export interface AccountChecked {
  readonly isPaid: boolean;
  /** A sentence for each provider that does not answer. */
  readonly problems: readonly string[];
}

/** The state of an account that a provider has answered for. */
export function payoutAccountState(
  answer:
    | { readonly kind: 'open'; readonly holder: string | null }
    | { readonly kind: 'closed' | 'not-offered' },
  expectedHolder: string | null,
): PayoutAccountState {
  if (answer.kind !== 'open') return answer.kind;
  if (expectedHolder === null) return 'open';
  if (answer.holder === null) return 'not-offered';
  return isSameHolder(expectedHolder, answer.holder) ? 'open' : 'name-differs';
}

/**
 * Whether two names can be those of one holder: every word of the shorter one stands in the longer one,
 * in any order. Providers add titles and fathers' names.
 */
function isSameHolder(one: string, other: string): boolean {
  const [few = [], many = []] = [wordsOf(one), wordsOf(other)].sort(
    (first, second) => first.length - second.length,
  );
  return few.length > 0 && few.every((word) => many.includes(word));
}

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
