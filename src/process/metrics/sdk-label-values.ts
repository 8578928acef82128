import type { Activities } from '../../../activities/index.ts';
import { claimResult, redeem, retryTopUp, topUpResult } from '../../../workflows/contracts.ts';
import type * as workflows from '../../../workflows/index.ts';

/** What stands for a value of a label that this release does not know. */
export const OTHER = 'other';

/** The compiler asks for each name that there is, and for no other. */
const workflowTypes = {
  cancelVoucher: true,
  checkBooks: true,
  checkPayoutAccount: true,
  compareStatements: true,
  deliverWebhooks: true,
  expireVouchers: true,
  finishMessage: true,
  followCase: true,
  generateBulk: true,
  generateVoucher: true,
  inviteMerchant: true,
  reconcile: true,
  redeemVoucher: true,
  repair: true,
  resendMessage: true,
  reverseRedemption: true,
  sendDayReports: true,
  sendStatements: true,
  tellOwners: true,
  topUp: true,
  watchBalances: true,
} as const satisfies Record<keyof typeof workflows, true>;

const activityTypes = {
  askDue: true,
  beginInvitation: true,
  beginRepair: true,
  beginReversal: true,
  cancelClaim: true,
  cancelVoucher: true,
  checkBooksPart: true,
  checkInvariants: true,
  checkPayoutAccount: true,
  claimAndSend: true,
  compareProviderStatements: true,
  confirmClaim: true,
  deliverDue: true,
  endInvitation: true,
  endRepair: true,
  expireClaim: true,
  failReversal: true,
  generateBulkLines: true,
  generateVoucher: true,
  giveUpConfirmation: true,
  holdRedemption: true,
  holdTopUp: true,
  inquirePayment: true,
  inquireReversal: true,
  inquireTopUp: true,
  markTopUpUnknown: true,
  noteReversalNeedsAction: true,
  noteUnbookedPayment: true,
  openCases: true,
  openDueVoucherCases: true,
  openRefusedRowCases: true,
  payMerchant: true,
  postRedemption: true,
  postReversal: true,
  postTopUp: true,
  pressSettlement: true,
  pruneRows: true,
  queueResend: true,
  readCase: true,
  readProviderBalances: true,
  readSettlement: true,
  readTopUpStatus: true,
  recordSharedAnswer: true,
  resumeBulkOrders: true,
  resumeMessages: true,
  resumeRedemptions: true,
  resumeTopUps: true,
  retryForRepair: true,
  reversePayment: true,
  sendAccessNotice: true,
  sendDayReports: true,
  sendDueStatements: true,
  sendInvitation: true,
  sendMessage: true,
  sendTopUp: true,
  settleResend: true,
  sweepClaims: true,
  sweepMessages: true,
  sweepReminders: true,
  sweepStatements: true,
  sweepTopUps: true,
  sweepVouchers: true,
  tellSwitchedOff: true,
  voidRedemption: true,
  voidTopUp: true,
} as const satisfies Record<keyof Activities, true>;

const updateNames = [claimResult, redeem, topUpResult, retryTopUp].map(({ name }) => name);

/**
 * The known values of the labels that somebody who reaches Temporal could choose: a task of an unknown
 * workflow is counted, too, when a worker fails it.
 */
export const sdkLabelValues: Readonly<Record<string, ReadonlySet<string>>> = {
  workflow_type: new Set(Object.keys(workflowTypes)),
  activity_type: new Set(Object.keys(activityTypes)),
  update: new Set(updateNames),
};
