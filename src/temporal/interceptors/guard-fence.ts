import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Activities } from '../../../activities/index.ts';

/**
 * The activities that a fenced service still runs: they ask providers, read, and book what a
 * provider has decided about a hold that exists. Everything else could send, or change what is being
 * compared. Activities that start workflows of holds are among them: those ask before they send.
 */
const harmless = [
  'inquirePayment',
  'inquireTopUp',
  'inquireReversal',
  'askDue',
  'readTopUpStatus',
  'readCase',
  'checkInvariants',
  'openCases',
  'resumeRedemptions',
  'resumeTopUps',
  'markTopUpUnknown',
  'postRedemption',
  'voidRedemption',
  'postTopUp',
  'voidTopUp',
  'postReversal',
  'failReversal',
  'noteUnbookedPayment',
  'noteReversalNeedsAction',
] as const satisfies readonly (keyof Activities)[];

const harmlessNames: ReadonlySet<string> = new Set(harmless);

/** The type of the failure of a refused activity; Temporal repeats it until the fence is lifted. */
const MAINTENANCE = 'Maintenance';

/**
 * Refuses activities while the fence of a restore stands, so that nothing is paid, sent or told. A
 * refusal proves that nothing happened, and the activity is repeated.
 */
export const guardFence =
  (isFenced: () => boolean): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      async execute(input, next) {
        if (!isFenced() || harmlessNames.has(info.activityType)) return next(input);
        throw ApplicationFailure.retryable(
          `${info.activityType} waits: the database was restored, and an operator has not lifted ` +
            'the fence',
          MAINTENANCE,
        );
      },
    },
  });
