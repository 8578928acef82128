import type { Money } from '../money.ts';

/** Who said what a provider did. */
export type ObservationSource = 'answer' | 'inquiry' | 'statement' | 'recovery' | 'person';

/**
 * The answer of a provider about an order, as our books keep it. `none`: it has not said anything.
 * `nothing`: it never did it. `undone`: it took it back. `other`: something that cannot be booked,
 * such as another payee.
 */
export type Said = 'none' | 'pending' | 'nothing' | 'done' | 'undone' | 'other';

/** The same as it is observed: a provider may also not know the order, or give no answer. */
export type Answered = Exclude<Said, 'none'> | 'never-seen' | 'silent';

/** The content of an observation. Times are in milliseconds since 1970. */
export interface Observation {
  /** The time of the observed state, not of its reading. */
  readonly at: number;
  /** The time of the reading, where that may be much later: a doubt begins then. */
  readonly readAt?: number;
  readonly source: ObservationSource;
  readonly said: Answered;
  /** The amount that the provider did, if it did something. */
  readonly amount?: Money;
  readonly providerReference?: string;
  /** The message of the provider, safe to show. */
  readonly message?: string;
}

/** The kind of an order at a provider, and of a line of its statement. */
export type PlacementKind = 'payment' | 'top-up' | 'reversal';

/** An order at one provider, under one reference of ours. */
export interface Placement {
  readonly kind: PlacementKind;
  readonly provider: string;
  readonly ordered: Money;
  readonly said: Said;
  /** The amount that the provider has done, by its observations. */
  readonly done: Money;
  readonly providerReference: string | null;
  /** The time of the observed state; null before the first observation. */
  readonly saidAt: number | null;
  readonly message: string | null;
  /** The message that a person has cleared: the same message opens no case again. */
  readonly cleared: string | null;
  /** Since when a doubt stands that the provider has not explained, such as a callback. */
  readonly doubtedAt: number | null;
  /** Since when the provider is asked in vain. */
  readonly silentSince: number | null;
}

/**
 * A placement after an observation: the only place that weighs what is said. Silence proves nothing, and an older
 * observation does not overrule a newer one. The contrary of the newer one is a doubt.
 */
export function fold(before: Placement, seen: Observation): Placement {
  const { at, said } = seen;
  const isOlder = before.saidAt !== null && at < before.saidAt;
  const isContrary =
    before.said === 'nothing'
      ? said === 'done' || said === 'other'
      : said === 'nothing' && before.done > 0n;
  if (isOlder && !isContrary) return before;
  if (isOlder) return { ...before, doubtedAt: before.doubtedAt ?? seen.readAt ?? at };
  if (said === 'silent') return { ...before, silentSince: before.silentSince ?? at };
  const answered = { ...before, saidAt: at, silentSince: null };
  // A provider that does not list it any more may only have deleted it.
  if (said === 'never-seen' && (before.done > 0n || before.said === 'other')) return answered;
  if (said === 'pending' && before.done > 0n) return answered;
  if (said === 'pending') {
    const providerReference = seen.providerReference ?? before.providerReference;
    return { ...answered, said, providerReference };
  }
  return {
    ...answered,
    ...saidAfter(before, seen, said === 'never-seen' ? 'nothing' : said),
    message: seen.message ?? null,
    // A doubt that came while the provider was asked is not explained by its answer.
    doubtedAt: before.doubtedAt !== null && before.doubtedAt > at ? before.doubtedAt : null,
  };
}

/** The state of a placement after an answer of its provider. */
function saidAfter(
  before: Placement,
  { amount, providerReference, source }: Observation,
  said: Exclude<Said, 'none' | 'pending'>,
): Pick<Placement, 'said' | 'done' | 'providerReference'> {
  // Before the first answer the reference is only the id of a request.
  const known = before.said === 'none' ? null : before.providerReference;
  const reference = providerReference ?? known;
  switch (said) {
    case 'done': {
      // A person who books an answer names no amount: the amount that is known already stays.
      const known = source === 'person' && before.done > 0n ? before.done : before.ordered;
      return { said, done: amount ?? known, providerReference: reference };
    }
    // Another transaction cannot be booked, so the books stay.
    case 'other':
      return { said, done: before.done, providerReference: reference };
    // The reversal may have a reference of its own. While an order is under way, its reference may be that of a request.
    case 'nothing':
    case 'undone': {
      const its = before.said === 'pending' ? reference : (known ?? providerReference);
      return { said, done: 0n, providerReference: its ?? null };
    }
  }
}

/** Whether an observation has changed what the books are to say: only such a one is kept. */
export const hasChanged = (before: Placement, after: Placement): boolean =>
  before.said !== after.said || before.done !== after.done || before.message !== after.message;
