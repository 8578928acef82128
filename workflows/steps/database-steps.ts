import type { Activities } from '../../activities/index.ts';

/**
 * Steps that a caller waits for, or that nothing can proceed without: repeated until they succeed. Where
 * the database refuses one, its workflow calls a person.
 */
const patientSteps = [
  'generateVoucher',
  'cancelVoucher',
  'queueResend',
  'settleResend',
  'claimAndSend',
  'confirmClaim',
  'cancelClaim',
  'expireClaim',
  'holdRedemption',
  'giveUpConfirmation',
  'beginReversal',
  'holdTopUp',
  'recordSharedAnswer',
  'readTopUpStatus',
  'beginInvitation',
  'endInvitation',
] as const satisfies readonly (keyof Activities)[];

/** Steps with few attempts: after these the workflow continues and calls a person. */
export const limitedSteps = [
  'postRedemption',
  'voidRedemption',
  'markTopUpUnknown',
  'postTopUp',
  'voidTopUp',
  'noteUnbookedPayment',
  'postReversal',
  'failReversal',
  'noteReversalNeedsAction',
  'beginRepair',
  'endRepair',
  'readSettlement',
] as const satisfies readonly (keyof Activities)[];

export type PatientStep = (typeof patientSteps)[number];
export type LimitedStep = (typeof limitedSteps)[number];

/** The activities that run as local activities; workers refuse them from the task queue. */
export const databaseSteps = [...patientSteps, ...limitedSteps] as const;
