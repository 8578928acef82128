import { createAccessNoticeActivities } from './access/access-notices.js';
import { createInvitationActivities } from './access/invitations.js';
import type { ActivityDependencies } from './dependencies.js';
import { createMessageActivities, createMessageSender } from './messages/messages.js';
import { createProviderStatementActivities } from './provider-statements/provider-statements.js';
import { createPayoutAccountActivities } from './providers/payout-accounts.js';
import { createCaseActivities } from './reconciliation/cases.js';
import { createReconciliationActivities } from './reconciliation/reconciliation.js';
import { createRefusalInquiryActivities } from './reconciliation/refusal-inquiries.js';
import { createResumptionActivities } from './reconciliation/resumption.js';
import { createSweepCaseActivities } from './reconciliation/sweep-cases.js';
import { createSweepActivities } from './reconciliation/sweeps.js';
import { createWholeBooksActivities } from './reconciliation/whole-books.js';
import { createClaimActivities } from './redemptions/claims.js';
import { createPaymentActivities } from './redemptions/payments.js';
import { createRedemptionActivities } from './redemptions/redemptions.js';
import { createReversalCallActivities } from './redemptions/reversal-calls.js';
import { createReversalActivities } from './redemptions/reversals.js';
import { createRepairActivities } from './repairs/repairs.js';
import { createSettlementActivities } from './repairs/settlements.js';
import { createDayReportActivities } from './reports/day-reports.js';
import { createStatementActivities } from './reports/statements.js';
import { createTopupOrderActivities } from './topups/topup-orders.js';
import { createTopupActivities } from './topups/topups.js';
import { createBulkOrderActivities } from './vouchers/bulk-orders.js';
import { createCancellationActivities } from './vouchers/cancellation.js';
import { createResendActivities } from './vouchers/resend.js';
import { createVoucherActivities } from './vouchers/vouchers.js';
import { createWebhookActivities } from './webhooks/deliveries.js';

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
    ...createPayoutAccountActivities(dependencies),
    ...createReversalActivities(dependencies),
    ...createReversalCallActivities(dependencies),
    ...createMessageActivities(dependencies, sender),
    ...createTopupActivities(dependencies),
    ...createTopupOrderActivities(dependencies),
    ...createSweepActivities(dependencies),
    ...createSweepCaseActivities(dependencies),
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
