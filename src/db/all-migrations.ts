import * as companies from '../../migrations/2026-11-21-1-companies.ts';
import * as ledger from '../../migrations/2026-11-21-2-ledger.ts';
import * as vouchers from '../../migrations/2026-11-21-3-vouchers.ts';
import * as topups from '../../migrations/2026-11-21-4-topups.ts';
import * as audit from '../../migrations/2026-11-21-5-audit.ts';
import * as referenceData from '../../migrations/2026-11-21-6-reference-data.ts';
import * as access from '../../migrations/2026-11-21-7-access.ts';
import * as reconciliation from '../../migrations/2026-11-21-8-reconciliation.ts';
import * as portal from '../../migrations/2026-11-21-9-portal.ts';
import * as pages from '../../migrations/2026-11-22-2-pages.ts';
import * as invitations from '../../migrations/2026-11-22-3-invitations.ts';
import * as priceListVersions from '../../migrations/2026-11-22-3-price-list-versions.ts';
import * as leftRequests from '../../migrations/2026-11-22-4-left-requests.ts';
import * as requestIdentity from '../../migrations/2026-11-22-5-request-identity.ts';
import * as providerReferences from '../../migrations/2026-11-22-6-provider-references.ts';
import * as productionIndexes from '../../migrations/2026-11-22-7-production-indexes.ts';
import * as credentialProofs from '../../migrations/2026-11-22-8-credential-proofs.ts';
import * as guessAndMessageBudgets from '../../migrations/2026-11-22-9-guess-and-message-budgets.ts';
import * as copyableKeys from '../../migrations/2026-11-22-9a-copyable-keys.ts';
import * as workflowIds from '../../migrations/2026-11-22-9b-workflow-ids.ts';
import * as operatorCommands from '../../migrations/2026-11-22-9c-operator-commands.ts';
import * as abandonedMessages from '../../migrations/2026-11-22-9d-abandoned-messages.ts';
import * as topupWorkflowIds from '../../migrations/2026-11-22-9e-topup-workflow-ids.ts';
import * as callDetails from '../../migrations/2026-11-22-9f-call-details.ts';
import * as events from '../../migrations/2026-11-22-9g-events.ts';
import * as webhooks from '../../migrations/2026-11-22-9h-webhooks.ts';
import * as endpointIndexes from '../../migrations/2026-11-22-9i-endpoint-indexes.ts';
import * as messageResends from '../../migrations/2026-11-22-9j-message-resends.ts';
import * as keyScopes from '../../migrations/2026-11-22-9k-key-scopes.ts';
import * as limits from '../../migrations/2026-11-22-9l-limits.ts';
import * as velocity from '../../migrations/2026-11-22-9l-velocity.ts';
import * as portalRoles from '../../migrations/2026-11-22-9m-portal-roles.ts';
import * as bulkOrders from '../../migrations/2026-11-22-9n-bulk-orders.ts';
import * as timeZones from '../../migrations/2026-11-22-9o-time-zones.ts';
import * as expiryReminders from '../../migrations/2026-11-22-9p-expiry-reminders.ts';
import * as reversals from '../../migrations/2026-11-23-1-reversals.ts';
import * as messageLanguage from '../../migrations/2026-11-23-2-message-language.ts';
import * as oneTimePasswords from '../../migrations/2026-11-23-5-one-time-passwords.ts';
import * as portalLanguages from '../../migrations/2026-11-23-6-portal-languages.ts';
import * as portalOrders from '../../migrations/2026-11-23-7-portal-orders.ts';
import * as overviewIndexes from '../../migrations/2026-11-23-7b-overview-indexes.ts';
import * as statementEmails from '../../migrations/2026-11-23-8-statement-emails.ts';
import * as bookCheckpoints from '../../migrations/2026-11-23-9-book-checkpoints.ts';
import * as topupAmountIndex from '../../migrations/2026-11-23-9b-topup-amount-index.ts';
import * as recovery from '../../migrations/2026-11-23-9m-recovery.ts';
import * as narrowerRights from '../../migrations/2026-11-23-9p-narrower-rights.ts';
import * as rareTransfers from '../../migrations/2026-11-24-1-rare-transfers.ts';
import * as staff from '../../migrations/2026-11-24-2-staff.ts';
import * as numberIndexes from '../../migrations/2026-11-24-2b-number-indexes.ts';
import * as repairs from '../../migrations/2026-11-24-3-repairs.ts';
import * as sealedNumbers from '../../migrations/2026-11-24-4-sealed-numbers.ts';
import * as dayReports from '../../migrations/2026-11-24-5-day-reports.ts';
import * as providerRoutes from '../../migrations/2026-11-25-1-provider-routes.ts';
import * as deliveryReports from '../../migrations/2026-11-25-2-delivery-reports.ts';
import * as providerStatements from '../../migrations/2026-11-25-3-provider-statements.ts';
import * as paymentCallbacks from '../../migrations/2026-11-25-4-payment-callbacks.ts';
import * as sendingMarks from '../../migrations/2026-11-25-4b-sending-marks.ts';
import * as bulkVoucherIndex from '../../migrations/2026-11-25-6-bulk-voucher-index.ts';
import * as redemptionCountIndex from '../../migrations/2026-11-25-7-redemption-count-index.ts';
import * as payoutAccountChecks from '../../migrations/2026-11-26-3-payout-account-checks.ts';
import * as breakListIndex from '../../migrations/2026-11-26-4-break-list-index.ts';
import * as invitationReports from '../../migrations/2026-11-27-1-invitation-reports.ts';
import * as payoutAccountIndexes from '../../migrations/2026-11-28-1-payout-account-indexes.ts';
import * as valueGivenByRepairs from '../../migrations/2026-11-29-1-value-given-by-repairs.ts';
import * as wholeBalanceClaims from '../../migrations/2026-11-29-4-whole-balance-claims.ts';
import * as messageSendings from '../../migrations/2026-11-29-4b-message-sendings.ts';
import * as notDoneBy from '../../migrations/2026-11-29-4c-not-done-by.ts';
import * as ledgerDaySums from '../../migrations/2026-11-29-6-ledger-day-sums.ts';
import * as ignoredLines from '../../migrations/2026-11-29-6b-ignored-lines.ts';
import * as observedAndErasedRows from '../../migrations/2026-11-29-7-observed-and-erased-rows.ts';
import * as searchIndexes from '../../migrations/2026-11-29-7b-search-indexes.ts';
import * as databaseTimeline from '../../migrations/2026-11-29-7c-database-timeline.ts';
import * as unconfirmedHolders from '../../migrations/2026-11-30-1-unconfirmed-holders.ts';
import * as waitingRetries from '../../migrations/2026-11-30-2-waiting-retries.ts';
import * as invitationSendings from '../../migrations/2026-11-30-3-invitation-sendings.ts';
import * as maskedRecoveredParties from '../../migrations/2026-11-30-4-masked-recovered-parties.ts';
import * as formerNumbers from '../../migrations/2026-11-30-7-former-numbers.ts';
import * as foundRepairs from '../../migrations/2026-11-30-8-found-repairs.ts';
import * as doubleDeliveries from '../../migrations/2026-12-01-1-double-deliveries.ts';
import * as doubleDeliveryIndexes from '../../migrations/2026-12-01-1b-double-delivery-indexes.ts';
import * as providerStates from '../../migrations/2026-12-01-2-provider-states.ts';
import * as hourSums from '../../migrations/2026-12-01-9-hour-sums.ts';
import * as unorderedMovements from '../../migrations/2026-12-02-1-unordered-movements.ts';
import * as depositReferences from '../../migrations/2026-12-02-2-deposit-references.ts';
import * as goodwillReferences from '../../migrations/2026-12-02-3-goodwill-references.ts';
import * as rowCounts from '../../migrations/2026-12-02-4-row-counts.ts';
import * as failoverDisagreements from '../../migrations/2026-12-03-1-failover-disagreements.ts';
import * as failoverDisagreementIndex from '../../migrations/2026-12-03-1b-failover-disagreement-index.ts';
import * as doubtedEnds from '../../migrations/2026-12-04-1-doubted-ends.ts';
import * as doubtedFailovers from '../../migrations/2026-12-04-2-doubted-failovers.ts';

/** In order, and explicit, so that every runtime and bundler can follow plain imports. */
export const allMigrations = {
  '2026-11-21-1-companies': companies,
  '2026-11-21-2-ledger': ledger,
  '2026-11-21-3-vouchers': vouchers,
  '2026-11-21-4-topups': topups,
  '2026-11-21-5-audit': audit,
  '2026-11-21-6-reference-data': referenceData,
  '2026-11-21-7-access': access,
  '2026-11-21-8-reconciliation': reconciliation,
  '2026-11-21-9-portal': portal,
  '2026-11-22-2-pages': pages,
  '2026-11-22-3-invitations': invitations,
  '2026-11-22-3-price-list-versions': priceListVersions,
  '2026-11-22-4-left-requests': leftRequests,
  '2026-11-22-5-request-identity': requestIdentity,
  '2026-11-22-6-provider-references': providerReferences,
  '2026-11-22-7-production-indexes': productionIndexes,
  '2026-11-22-8-credential-proofs': credentialProofs,
  '2026-11-22-9-guess-and-message-budgets': guessAndMessageBudgets,
  '2026-11-22-9a-copyable-keys': copyableKeys,
  '2026-11-22-9b-workflow-ids': workflowIds,
  '2026-11-22-9c-operator-commands': operatorCommands,
  '2026-11-22-9d-abandoned-messages': abandonedMessages,
  '2026-11-22-9e-topup-workflow-ids': topupWorkflowIds,
  '2026-11-22-9f-call-details': callDetails,
  '2026-11-22-9g-events': events,
  '2026-11-22-9h-webhooks': webhooks,
  '2026-11-22-9i-endpoint-indexes': endpointIndexes,
  '2026-11-22-9j-message-resends': messageResends,
  '2026-11-22-9k-key-scopes': keyScopes,
  '2026-11-22-9l-limits': limits,
  '2026-11-22-9l-velocity': velocity,
  '2026-11-22-9m-portal-roles': portalRoles,
  '2026-11-22-9n-bulk-orders': bulkOrders,
  '2026-11-22-9o-time-zones': timeZones,
  '2026-11-22-9p-expiry-reminders': expiryReminders,
  '2026-11-23-1-reversals': reversals,
  '2026-11-23-2-message-language': messageLanguage,
  '2026-11-23-5-one-time-passwords': oneTimePasswords,
  '2026-11-23-6-portal-languages': portalLanguages,
  '2026-11-23-7-portal-orders': portalOrders,
  '2026-11-23-7b-overview-indexes': overviewIndexes,
  '2026-11-23-8-statement-emails': statementEmails,
  '2026-11-23-9-book-checkpoints': bookCheckpoints,
  '2026-11-23-9b-topup-amount-index': topupAmountIndex,
  '2026-11-23-9m-recovery': recovery,
  '2026-11-23-9p-narrower-rights': narrowerRights,
  '2026-11-24-1-rare-transfers': rareTransfers,
  '2026-11-24-2-staff': staff,
  '2026-11-24-3-repairs': repairs,
  '2026-11-24-4-sealed-numbers': sealedNumbers,
  '2026-11-24-5-day-reports': dayReports,
  '2026-11-25-1-provider-routes': providerRoutes,
  '2026-11-25-3-provider-statements': providerStatements,
  '2026-11-24-2b-number-indexes': numberIndexes,
  '2026-11-25-2-delivery-reports': deliveryReports,
  '2026-11-25-4-payment-callbacks': paymentCallbacks,
  '2026-11-25-4b-sending-marks': sendingMarks,
  '2026-11-25-6-bulk-voucher-index': bulkVoucherIndex,
  '2026-11-25-7-redemption-count-index': redemptionCountIndex,
  '2026-11-26-3-payout-account-checks': payoutAccountChecks,
  '2026-11-26-4-break-list-index': breakListIndex,
  '2026-11-27-1-invitation-reports': invitationReports,
  '2026-11-28-1-payout-account-indexes': payoutAccountIndexes,
  '2026-11-29-1-value-given-by-repairs': valueGivenByRepairs,
  '2026-11-29-4-whole-balance-claims': wholeBalanceClaims,
  '2026-11-29-4b-message-sendings': messageSendings,
  '2026-11-29-4c-not-done-by': notDoneBy,
  '2026-11-29-6-ledger-day-sums': ledgerDaySums,
  '2026-11-29-6b-ignored-lines': ignoredLines,
  '2026-11-29-7-observed-and-erased-rows': observedAndErasedRows,
  '2026-11-29-7b-search-indexes': searchIndexes,
  '2026-11-29-7c-database-timeline': databaseTimeline,
  '2026-11-30-1-unconfirmed-holders': unconfirmedHolders,
  '2026-11-30-2-waiting-retries': waitingRetries,
  '2026-11-30-3-invitation-sendings': invitationSendings,
  '2026-11-30-4-masked-recovered-parties': maskedRecoveredParties,
  '2026-11-30-7-former-numbers': formerNumbers,
  '2026-11-30-8-found-repairs': foundRepairs,
  '2026-12-01-1-double-deliveries': doubleDeliveries,
  '2026-12-01-1b-double-delivery-indexes': doubleDeliveryIndexes,
  '2026-12-01-2-provider-states': providerStates,
  '2026-12-01-9-hour-sums': hourSums,
  '2026-12-02-1-unordered-movements': unorderedMovements,
  '2026-12-02-2-deposit-references': depositReferences,
  '2026-12-02-3-goodwill-references': goodwillReferences,
  '2026-12-02-4-row-counts': rowCounts,
  '2026-12-03-1-failover-disagreements': failoverDisagreements,
  '2026-12-03-1b-failover-disagreement-index': failoverDisagreementIndex,
  '2026-12-04-1-doubted-ends': doubtedEnds,
  '2026-12-04-2-doubted-failovers': doubtedFailovers,
};
