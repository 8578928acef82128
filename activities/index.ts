import { createAccessNoticeActivities } from './access-notices.js';
import { createCaseActivities } from './cases.js';
import { createClaimActivities } from './claims.js';
import type { ActivityDependencies } from './dependencies.js';
import { createInvitationActivities } from './invitations.js';
import { createMessageActivities, createMessageSender } from './messages.js';
import { createPaymentActivities } from './payments.js';
import { createProviderStatementActivities } from './provider-statements/provider-statements.js';
import { createReconciliationActivities } from './reconciliation.js';
import { createRedemptionActivities } from './redemptions.js';
import { createRefusalInquiryActivities } from './refusal-inquiries.js';
import { createRepairActivities } from './repairs/repairs.js';
import { createSettlementActivities } from './repairs/settlements.js';
import { createDayReportActivities } from './reports/day-reports.js';
import { createStatementActivities } from './reports/statements.js';
import { createResumptionActivities } from './resumption.js';
import { createReversalCallActivities } from './reversal-calls.js';
import { createReversalActivities } from './reversals.js';
import { createSweepActivities } from './sweeps.js';
import { createTopupOrderActivities } from './topups/topup-orders.js';
import { createTopupActivities } from './topups/topups.js';
import { createBulkOrderActivities } from './vouchers/bulk-orders.js';
import { createCancellationActivities } from './vouchers/cancellation.js';
import { createResendActivities } from './vouchers/resend.js';
import { createVoucherActivities } from './vouchers/vouchers.js';
import { createWebhookActivities } from './webhooks/deliveries.js';
import { createWholeBooksActivities } from './whole-books.js';

export type { ActivityDependencies } from './dependencies.js';

/** All activities by the names in workflows. */
export function createActivities(dependencies: ActivityDependencies) {
  const sender = createMessageSender(dependencies);
  return {
    ...createVoucherActivities(dependencies),
    ...createCancellationActivities(dependencies),
    ...createBulkOrderActivities(dependencies),
    ...createResendActivities(dependencies),
    ...createClaimActivities(dependencies, sender),
    ...createRedemptionActivities(dependencies, sender),
    ...createPaymentActivities(dependencies),
    ...createReversalActivities(dependencies),
    ...createReversalCallActivities(dependencies),
    ...createMessageActivities(dependencies, sender),
    ...createTopupActivities(dependencies),
    ...createTopupOrderActivities(dependencies),
    ...createSweepActivities(dependencies),
    ...createResumptionActivities(dependencies),
    ...createRefusalInquiryActivities(dependencies),
    ...createCaseActivities(dependencies),
    ...createReconciliationActivities(dependencies),
    ...createWholeBooksActivities(dependencies),
    ...createInvitationActivities(dependencies),
    ...createWebhookActivities(dependencies),
    ...createAccessNoticeActivities(dependencies),
    ...createStatementActivities(dependencies),
    ...createDayReportActivities(dependencies),
    ...createProviderStatementActivities(dependencies),
    ...createRepairActivities(dependencies),
    ...createSettlementActivities(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
