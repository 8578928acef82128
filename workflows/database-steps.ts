import type { Activities } from '../activities/index.js';

/** The activities that run inside the workflow task; workers do not run them in any other way. */
export const databaseSteps = [
  'generateVoucher',
  'createClaim',
  'confirmClaim',
  'cancelClaim',
  'expireClaim',
  'holdRedemption',
  'postRedemption',
  'voidRedemption',
  'giveUpConfirmation',
  'holdTopUp',
  'markTopUpUnknown',
  'postTopUp',
  'voidTopUp',
  'recordSharedAnswer',
  'beginInvitation',
  'endInvitation',
] as const satisfies readonly (keyof Activities)[];
