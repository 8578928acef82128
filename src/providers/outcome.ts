/**
 * The outcome of a call to a provider. `not-sent` proves that the provider will never do it. `refused` ends the hold,
 * although the provider may still do it later. `unknown` keeps the money on hold.
 */
export type ProviderOutcome =
  | {
      readonly kind: 'delivered';
      readonly providerReference: string;
      /** Description of a reversal: the provider took the completed operation back. */
      readonly reversal?: string;
    }
  | {
      readonly kind: 'refused';
      /** The provider's own code, for support staff. */
      readonly code: string;
      /** The provider's own message, safe to show: adapters mask numbers and secrets. */
      readonly message: string;
      readonly retryCanHelp: boolean;
      /**
       * The reason is our account at this provider, or a fault of it, and not the recipient: it accepted nothing, and
       * another provider may take a message.
       */
      readonly anotherMayTake?: true;
    }
  | NotSent
  | {
      readonly kind: 'unknown';
      readonly message: string;
      /** The provider has different content under our reference: a person must check it at once. */
      readonly disagrees?: true;
      /** Where only the amount differs: the end of the order at the provider. */
      readonly otherAmount?: OtherAmount;
      /**
       * The provider has taken the order under this id of its own, and has not ended it as it was sent. Our reference
       * stands for an id that the provider does not tell.
       */
      readonly takenAs?: string;
      /** The only provider that may have done it, where that is not the present one, which did nothing. */
      readonly at?: string;
    };

/** The end of an order whose amount at the provider is another than ours. */
interface OtherAmount {
  /** Decimal string. */
  readonly amount: string;
  readonly outcome: Extract<ProviderOutcome, { readonly kind: 'delivered' | 'refused' }>;
}

/** The result of an inquiry: the outcome of the call, or that the provider never saw it. */
export type ProviderInquiry = ProviderOutcome | { readonly kind: 'never-seen' };

/** Nothing reached the provider, or it rejected the request unread. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly message: string;
  /** The pause that the provider requests, if it does. */
  readonly retryAfterSeconds?: number;
}

/**
 * An unknown outcome. A failed inquiry has it as well: it proves nothing about the operation, not
 * even that it was not sent.
 */
export const unknown = (message: string): ProviderOutcome => ({ kind: 'unknown', message });

/**
 * The outcome of an order that its provider has taken, and may still do. `id` is the provider's own, or our reference
 * where the provider tells none.
 */
export const underWay = (message: string, id: string | null | undefined): ProviderOutcome => ({
  ...unknown(message),
  ...takenUnder(id),
});

/** The field of an outcome that has the id; none where the provider told no id. */
export const takenUnder = (id: string | null | undefined): { readonly takenAs?: string } =>
  id == null ? {} : { takenAs: id };

/** The provider refuses our key, secret or token, and has read nothing else. */
export const credentialsRefused: NotSent = {
  kind: 'not-sent',
  message: 'The credentials were not accepted.',
};

/** The content under our reference is not what we sent, so it proves nothing. */
export const disagreement = (message: string) =>
  ({ kind: 'unknown', message, disagrees: true }) satisfies ProviderOutcome;

/**
 * The order under our reference has another field there; never its value, which may be personal. `id` is the provider's
 * own: the order is taken, although in another form.
 */
export const otherField = (
  order: 'payment' | 'top-up',
  field: string,
  id?: string | null | undefined,
) => ({
  ...disagreement(`The provider knows a ${order} with another ${field}.`),
  ...takenUnder(id),
});

/** The provider took back what it had done. */
export const reversed = (
  order: 'payment' | 'top-up',
  providerReference: string,
): ProviderOutcome => ({
  kind: 'delivered',
  providerReference,
  reversal: `The provider reversed the ${order} after it had completed it.`,
});

/**
 * The outcome of an order whose amount at the provider is another than ours. It ends no hold, because a person
 * looks at it first. After the hold our books follow the provider. An outcome that is open, and an
 * amount that no ledger holds, are other content. `id` is the provider's own.
 */
export function ofAnotherAmount(
  outcome: ProviderOutcome,
  theirs: string,
  what: 'payment' | 'top-up',
  id: string | null | undefined,
): ProviderOutcome {
  // An order that failed moved nothing, and its amount may say so.
  if (outcome.kind === 'refused' && /^0+(\.0+)?$/.test(theirs)) return outcome;
  const differs = otherField(what, 'amount', id);
  const amount = exactAmount(theirs, { wholeDigits: 12, decimals: 6 });
  return amount !== undefined && (outcome.kind === 'delivered' || outcome.kind === 'refused')
    ? { ...differs, otherAmount: { amount, outcome } }
    : differs;
}

/** The end of an order at the provider, also of another amount; undefined while it is open. */
export const endOf = (outcome: ProviderOutcome): ProviderOutcome | undefined =>
  outcome.kind === 'unknown' ? outcome.otherAmount?.outcome : outcome;

/** Whether the provider took back what it had done. */
export function isReversed(outcome: ProviderOutcome): boolean {
  const end = endOf(outcome);
  return end?.kind === 'delivered' && end.reversal !== undefined;
}

/**
 * Whether two values are equal; a missing value contradicts nothing. `canonical` normalises values
 * with several notations.
 */
export function agree(
  theirs: string | null | undefined,
  ours: string | undefined,
  canonical: (value: string) => string | undefined = (value) => value.toLowerCase(),
): boolean {
  return theirs == null || ours === undefined || canonical(theirs) === canonical(ours);
}

/**
 * The amount with at least two decimals, or undefined where it is not above zero or would lose
 * digits: providers limit the digits before and after the point.
 */
export function exactAmount(
  amount: string,
  limit: { readonly wholeDigits: number; readonly decimals: number },
): string | undefined {
  const [, whole, decimals = ''] = /^(0|[1-9]\d{0,29})(?:\.(\d{1,20}))?$/.exec(amount) ?? [];
  const kept = decimals.replace(/0+$/, '');
  if (whole === undefined || (whole === '0' && kept === '')) return undefined;
  if (whole.length > limit.wholeDigits || kept.length > limit.decimals) return undefined;
  return `${whole}.${kept.padEnd(2, '0')}`;
}
