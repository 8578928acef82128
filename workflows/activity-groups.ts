import type { Activities } from '../activities/index.ts';

/**
 * Every activity, and how workflows run it: the options of each group stand in activity-options.ts. Workers, their
 * guards and the metrics know activities by this table. The compiler asks for each activity that there is.
 */
export const activityGroups = {
  generateVoucher: 'patient',
  cancelVoucher: 'patient',
  queueResend: 'patient',
  settleResend: 'patient',
  claimAndSend: 'patient',
  confirmClaim: 'patient',
  cancelClaim: 'patient',
  expireClaim: 'patient',
  holdRedemption: 'patient',
  beginReversal: 'patient',
  holdTopup: 'patient',
  recordSharedAnswer: 'patient',
  readTopup: 'patient',
  endRedemption: 'limited',
  markTopupUnknown: 'limited',
  endTopup: 'limited',
  noteUnbookedPayment: 'limited',
  endReversal: 'limited',
  noteReversalNeedsAction: 'limited',
  beginRepair: 'limited',
  endRepair: 'limited',
  readSettlement: 'limited',
  sendMessage: 'providers',
  payMerchant: 'providers',
  inquirePayment: 'providers',
  reversePayment: 'providers',
  inquireReversal: 'providers',
  sendTopup: 'providers',
  inquireTopup: 'providers',
  pressSettlement: 'repairs',
  retryForRepair: 'repairs',
  checkPayoutAccount: 'payoutAccounts',
  generateBulkLines: 'bulk',
  resumeRedemptions: 'reconciliation',
  resumeTopups: 'reconciliation',
  askDue: 'reconciliation',
  openCases: 'reconciliation',
  checkInvariants: 'books',
  checkBooksPart: 'wholeBooks',
  archiveTransfers: 'ledgerArchive',
  endDueClaims: 'expirySteps',
  endDueVouchers: 'expirySteps',
  endDueTopups: 'expirySteps',
  endDueInvitations: 'expirySteps',
  resumeBulkOrders: 'expirySteps',
  queueReminders: 'expirySteps',
  queueReports: 'expirySteps',
  openExpiryCases: 'expirySteps',
  pruneRows: 'expirySteps',
  compareProviderStatements: 'providerStatements',
  readProviderBalances: 'providerStatements',
  readCase: 'cases',
  deliverDue: 'webhooks',
} as const satisfies Readonly<Record<keyof Activities, string>>;

type Groups = typeof activityGroups;

/** The activities of a group. */
export type ActivitiesOf<Group extends Groups[keyof Groups]> = Pick<
  Activities,
  { [Name in keyof Groups]: Groups[Name] extends Group ? Name : never }[keyof Groups]
>;

/** Whether an activity is a step in the database: it runs as a local one, and never from a task queue. */
export const isDatabaseStep = (name: string): boolean => {
  const group = (activityGroups as Readonly<Record<string, string>>)[name];
  return group === 'patient' || group === 'limited';
};
