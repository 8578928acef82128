import { createCaseActivities } from './cases.js';
import { createClaimActivities } from './claims.js';
import type { ActivityDependencies } from './dependencies.js';
import { createInvitationActivities } from './invitations.js';
import { createMessageActivities } from './messages.js';
import { createPaymentActivities } from './payments.js';
import { createReconciliationActivities } from './reconciliation.js';
import { createRedemptionActivities } from './redemptions.js';
import { createRefusalInquiryActivities } from './refusal-inquiries.js';
import { createResumptionActivities } from './resumption.js';
import { createSweepActivities } from './sweeps.js';
import { createTopupOrderActivities } from './topup-orders.js';
import { createTopupActivities } from './topups.js';
import { createVoucherActivities } from './vouchers.js';

export type { ActivityDependencies } from './dependencies.js';

/** All activities by the names in workflows. */
export const createActivities = (dependencies: ActivityDependencies) => ({
  ...createVoucherActivities(dependencies),
  ...createClaimActivities(dependencies),
  ...createRedemptionActivities(dependencies),
  ...createPaymentActivities(dependencies),
  ...createMessageActivities(dependencies),
  ...createTopupActivities(dependencies),
  ...createTopupOrderActivities(dependencies),
  ...createSweepActivities(dependencies),
  ...createResumptionActivities(dependencies),
  ...createRefusalInquiryActivities(dependencies),
  ...createCaseActivities(dependencies),
  ...createReconciliationActivities(dependencies),
  ...createInvitationActivities(dependencies),
});

export type Activities = ReturnType<typeof createActivities>;
