import type { Money } from '../money.ts';

/** Who said what a provider did; a callback and an absent line say only that it must be asked. */
export type ObservationSource =
  | 'answer'
  | 'inquiry'
  | 'statement'
  | 'recovery'
  | 'person'
  | 'callback';

/**
 * What a provider says of an order, as our books keep it. `none`: it has not said anything. `nothing`: it never did
 * it. `undone`: it took it back. `other`: something that cannot be booked, such as another payee.
 */
export type Word = 'none' | 'pending' | 'nothing' | 'done' | 'undone' | 'other';

/** The same as it is observed: a provider may also not know the order, or give no answer. */
export type Said = Exclude<Word, 'none'> | 'never-seen' | 'silent';

/** What is said of a placement. Times are in milliseconds since 1970. */
export interface Observation {
  /** When it was so, not when it was read. */
  readonly at: number;
  readonly source: ObservationSource;
  readonly said: Said;
  /** What the provider did, where it did something. */
  readonly amount?: Money;
  readonly providerReference?: string;
  /** What it said, safe to show. */
  readonly words?: string;
}

/** What is placed at a provider, and what a line of its statement is. */
export type PlacementKind = 'payment' | 'top-up' | 'reversal';

/** An order at one provider, under one reference of ours. */
export interface Placement {
  readonly kind: PlacementKind;
  readonly provider: string;
  readonly ordered: Money;
  readonly word: Word;
  /** What the provider did by its word. */
  readonly done: Money;
  readonly providerReference: string | null;
  /** When the word was so; null before the first one. */
  readonly saidAt: number | null;
  readonly words: string | null;
  /** The words that a person has cleared: the same ones open no case again. */
  readonly cleared: string | null;
  /** Since when there is news that the provider has not explained, such as a callback. */
  readonly doubtedAt: number | null;
  /** Since when the provider is asked in vain. */
  readonly silentSince: number | null;
}

/**
 * A placement after an observation: the only place that weighs what is said. A callback is a doubt only, silence
 * proves nothing, and older words do not overrule newer ones.
 */
export function fold(before: Placement, seen: Observation): Placement {
  const { at, source, said } = seen;
  if (before.saidAt !== null && at < before.saidAt) return before;
  if (source === 'callback') return { ...before, doubtedAt: before.doubtedAt ?? at };
  if (said === 'silent') return { ...before, silentSince: before.silentSince ?? at };
  const answered = { ...before, saidAt: at, silentSince: null };
  // A provider that does not list it any more may only have deleted it.
  if (said === 'never-seen' && (before.done > 0n || before.word === 'other')) return answered;
  if (said === 'pending') return before.done > 0n ? answered : { ...answered, word: 'pending' };
  return {
    ...answered,
    ...wordAfter(before, seen, said === 'never-seen' ? 'nothing' : said),
    words: seen.words ?? null,
    // News that came while the provider was asked is not explained by its answer.
    doubtedAt: before.doubtedAt !== null && before.doubtedAt > at ? before.doubtedAt : null,
  };
}

/** The word of a provider that answered, and what it did. */
function wordAfter(
  before: Placement,
  { amount, providerReference }: Observation,
  word: Exclude<Word, 'none' | 'pending'>,
): Pick<Placement, 'word' | 'done' | 'providerReference'> {
  const reference = providerReference ?? before.providerReference;
  switch (word) {
    case 'done':
      return { word, done: amount ?? before.ordered, providerReference: reference };
    // What it is cannot be booked, so that the books stay.
    case 'other':
      return { word, done: before.done, providerReference: reference };
    // Its reversal may have a reference of its own.
    case 'nothing':
    case 'undone':
      return {
        word,
        done: 0n,
        providerReference: before.providerReference ?? providerReference ?? null,
      };
  }
}

/** Whether an observation has changed what the books are to say: only such a one is kept. */
export const hasChanged = (before: Placement, after: Placement): boolean =>
  before.word !== after.word || before.done !== after.done || before.words !== after.words;
