/**
 * What the check of a payout account ended with. `name-differs`: its holder is not whom the operator
 * registered. `not-offered`: the provider does not answer the question.
 */
export type PayoutAccountState = 'open' | 'closed' | 'name-differs' | 'not-offered';

/** With these a payment is sent, and the provider is not asked again. */
export const payableStates: readonly PayoutAccountState[] = ['open', 'not-offered'];

/** With these nothing is sent to the account. */
export const refusedStates = [
  'closed',
  'name-differs',
] as const satisfies readonly PayoutAccountState[];

/** What a person does about an account in a state; it is paid in the others. */
export const accountRemedies: Readonly<Partial<Record<PayoutAccountState, string>>> = {
  closed: 'not paid: ask the merchant for its account, then set payout-account',
  'name-differs': 'not paid: ask the merchant who holds it, then set payout-account with --holder',
};

/** What was found when the providers were asked for the payout account of a merchant. */
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
  const differs =
    expectedHolder !== null &&
    answer.holder !== null &&
    !isSameHolder(expectedHolder, answer.holder);
  return differs ? 'name-differs' : 'open';
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
