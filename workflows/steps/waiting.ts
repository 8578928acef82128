import {
  CancellationScope,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { quoted } from '../../src/domain/refusals.ts';
import { needsAction } from '../search-attributes.ts';

/** The part of the elapsed time that a pause has at least: an hour in a week. */
const PART = 168;

/**
 * A pause that grows with the time that has passed, so that a history stays short however long a
 * workflow waits. Ten years have fewer than 1,700 pauses, far below the limit of a history. A nudge
 * ends a pause at once.
 */
export const lengthenPause = (pauseMs: number, elapsedMs: number): number =>
  Math.max(pauseMs, Math.round(elapsedMs / PART));

/**
 * Is due after a time, from its start on. The clock must not decide what a workflow does: a step that
 * outlives its workflow task has another time in a replay (temporalio/sdk-rust#1606). A timer's end is in
 * the history.
 */
export function startAlarm(afterMs: number) {
  const scope = new CancellationScope();
  let isDue = false;
  const due = scope.run(() => sleep(afterMs, { summary: 'Until a person is called' }));
  void due.then(
    () => (isDue = true),
    () => {},
  );
  return { isDue: () => isDue, stop: () => scope.cancel() };
}

/**
 * Waits for an event of the history. A replay may give the result of a local activity one workflow task earlier than
 * the first run did, before the signals of that task. State that decides about a signal changes after such an event.
 */
export const untilRecorded = (): Promise<void> =>
  sleep(1, { summary: 'Before it takes further signals' });

/**
 * Calls a person by `NeedsAction`, and withdraws the call. Steps of one workflow share the attribute:
 * the step that set it resets it, and a step that fails on sets it again.
 */
export function createPersonCall() {
  let isRaised = false;
  return {
    raise() {
      if (workflowInfo().typedSearchAttributes.get(needsAction) === true) return;
      upsertSearchAttributes([{ key: needsAction, value: true }]);
      isRaised = true;
    },
    withdraw() {
      if (isRaised) upsertSearchAttributes([{ key: needsAction, value: false }]);
      isRaised = false;
    },
  };
}

/** The providers that were asked for a payment, a top-up or a message. */
export interface AskedProviders {
  readonly provider: string;
  /** The earlier providers, which certainly did nothing, in their order; the messages are safe to show. */
  readonly failovers: readonly { readonly from: string; readonly message: string }[];
}

/** A result of an activity, and the providers that were asked for it; absent where none was. */
export type WithProviders<Result> = Result & { readonly asked?: AskedProviders };

/**
 * The outcome of a sending, with whether nothing can have been sent before. Without that it was the first one. A run
 * that was reset reads the same in its replay, although its own id has changed.
 */
export type Sending<Outcome> = WithProviders<Outcome> & { readonly isFirst?: boolean };

/** The providers in the row of a hold, before any was asked. */
export const askedFirst = (provider: string): AskedProviders => ({ provider, failovers: [] });

/** A hold, and the providers that were asked for its order by the newest answer. */
export type Shown<Held> = Held & { asked?: AskedProviders | undefined };

/** Notes whom an answer names, for the page of the hold. */
export const noteAsked =
  (hold: Shown<unknown>) =>
  ({ asked }: WithProviders<unknown>): void => {
    hold.asked = asked ?? hold.asked;
  };

/** The end of a sentence about an order: ` at mpesa`, or nothing where the provider is not known. */
export const atProvider = (asked: AskedProviders | undefined): string =>
  asked ? ` at ${asked.provider}` : '';

/** The end of a sentence about a done order: ` by smpp`, or nothing where the provider is not known. */
export const byProvider = (asked: AskedProviders | undefined): string =>
  asked ? ` by ${asked.provider}` : '';

/** A paragraph about the providers that did nothing; none where only one provider was asked. */
export const failoverParagraph = (asked: AskedProviders | undefined): string[] => {
  const failovers = asked?.failovers ?? [];
  const sentences = failovers.map(({ from, message }, index) => {
    const next = failovers[index + 1]?.from ?? asked?.provider;
    const words = quoted(message);
    return `${from} did nothing${words && `: ${words}`}. ${next} was asked next.`;
  });
  return sentences.length === 0 ? [] : [sentences.join(' ')];
};
