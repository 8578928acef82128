import type { Activities } from '../../activities/index.js';

/** Steps that a caller waits for, or that nothing can go on without: repeated until they succeed. */
const patientSteps = [
  'generateVoucher',
  'createClaim',
  'confirmClaim',
  'cancelClaim',
  'expireClaim',
  'holdRedemption',
  'giveUpConfirmation',
  'holdTopUp',
  'recordSharedAnswer',
  'readTopUpStatus',
  'beginInvitation',
  'endInvitation',
] as const satisfies readonly (keyof Activities)[];

/** Steps that give up after a few tries: their workflow goes on by itself, and calls a person. */
export const limitedSteps = [
  'postRedemption',
  'voidRedemption',
  'markTopUpUnknown',
  'postTopUp',
  'voidTopUp',
  'noteUnbookedPayment',
] as const satisfies readonly (keyof Activities)[];

export type PatientStep = (typeof patientSteps)[number];
export type LimitedStep = (typeof limitedSteps)[number];

/** The activities that run inside the workflow task; workers do not run them in any other way. */
export const databaseSteps = [...patientSteps, ...limitedSteps] as const;
