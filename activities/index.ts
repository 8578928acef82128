import type { ActivityDependencies } from './dependencies.ts';
import { createExpiryActivities, createExpiryCaseActivities } from './expiry.ts';
import { createLedgerArchiveActivities } from './ledger-archive.ts';
import { createMessageActivities, type MessageSender } from './messages.ts';
import { createAskActivities, createCaseActivities } from './positions.ts';
import {
  createBalanceActivities,
  createProviderStatementActivities,
} from './provider-statements.ts';
import { createPayoutAccountActivities } from './providers.ts';
import {
  createReconciliationActivities,
  createResumptionActivities,
  createWholeBooksActivities,
} from './reconciliation.ts';
import { createClaimActivities } from './redemptions/claims.ts';
import { createPaymentActivities } from './redemptions/payments.ts';
import { createRedemptionActivities } from './redemptions/redemptions.ts';
import { createReversalActivities, createReversalCallActivities } from './redemptions/reversals.ts';
import { createRepairActivities, createSettlementActivities } from './repairs.ts';
import { createTopupOrderActivities } from './topups/topup-orders.ts';
import { createTopupActivities } from './topups/topups.ts';
import { createBulkOrderActivities } from './vouchers/bulk-orders.ts';
import { createCancellationActivities } from './vouchers/cancellation.ts';
import { createResendActivities } from './vouchers/resend.ts';
import { createVoucherActivities } from './vouchers/vouchers.ts';
import { createWebhookActivities } from './webhooks.ts';

export type { ActivityDependencies } from './dependencies.ts';

/** All activities by the names in workflows. The sender of messages to owners is that of the whole worker. */
export function createActivities(dependencies: ActivityDependencies, sender: MessageSender) {
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
    ...createMessageActivities(sender),
    ...createTopupActivities(dependencies),
    ...createTopupOrderActivities(dependencies),
    ...createExpiryActivities(dependencies),
    ...createExpiryCaseActivities(dependencies),
    ...createResumptionActivities(dependencies),
    ...createAskActivities(dependencies),
    ...createCaseActivities(dependencies),
    ...createReconciliationActivities(dependencies),
    ...createWholeBooksActivities(dependencies),
    ...createLedgerArchiveActivities(dependencies),
    ...createWebhookActivities(dependencies),
    ...createProviderStatementActivities(dependencies),
    ...createBalanceActivities(dependencies),
    ...createRepairActivities(dependencies),
    ...createSettlementActivities(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
