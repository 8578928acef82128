import { createAccessNoticeActivities } from './access/access-notices.ts';
import { createInvitationActivities } from './access/invitations.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createMessageActivities, createMessageSender } from './messages/messages.ts';
import { createAskActivities } from './positions/ask-due.ts';
import { createCaseActivities } from './positions/cases.ts';
import {
  createBalanceActivities,
  createProviderStatementActivities,
} from './provider-statements/provider-statements.ts';
import { createPayoutAccountActivities } from './providers/payout-accounts.ts';
import { createReconciliationActivities } from './reconciliation/reconciliation.ts';
import { createResumptionActivities } from './reconciliation/resumption.ts';
import { createSweepCaseActivities } from './reconciliation/sweep-cases.ts';
import { createSweepActivities } from './reconciliation/sweeps.ts';
import { createWholeBooksActivities } from './reconciliation/whole-books.ts';
import { createClaimActivities } from './redemptions/claims.ts';
import { createPaymentActivities } from './redemptions/payments.ts';
import { createRedemptionActivities } from './redemptions/redemptions.ts';
import { createReversalCallActivities } from './redemptions/reversal-calls.ts';
import { createReversalActivities } from './redemptions/reversals.ts';
import { createRepairActivities } from './repairs/repairs.ts';
import { createSettlementActivities } from './repairs/settlements.ts';
import { createDayReportActivities } from './reports/day-reports.ts';
import { createStatementActivities } from './reports/statements.ts';
import { createTopupOrderActivities } from './topups/topup-orders.ts';
import { createTopupActivities } from './topups/topups.ts';
import { createBulkOrderActivities } from './vouchers/bulk-orders.ts';
import { createCancellationActivities } from './vouchers/cancellation.ts';
import { createResendActivities } from './vouchers/resend.ts';
import { createVoucherActivities } from './vouchers/vouchers.ts';
import { createWebhookActivities } from './webhooks/deliveries.ts';

export type { ActivityDependencies } from './dependencies.ts';

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
    ...createAskActivities(dependencies),
    ...createCaseActivities(dependencies),
    ...createReconciliationActivities(dependencies),
    ...createWholeBooksActivities(dependencies),
    ...createInvitationActivities(dependencies),
    ...createWebhookActivities(dependencies),
    ...createAccessNoticeActivities(dependencies),
    ...createStatementActivities(dependencies),
    ...createDayReportActivities(dependencies),
    ...createProviderStatementActivities(dependencies),
    ...createBalanceActivities(dependencies),
    ...createRepairActivities(dependencies),
    ...createSettlementActivities(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
