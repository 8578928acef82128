import { addTransfers, type Transfer } from '../src/db/ledger/ledger.js';
import { settledOutcome, settleOperation } from '../src/db/operations/operations.js';
import { endClaim } from '../src/db/vouchers/claims.js';
import { cancelConfirmation } from '../src/db/vouchers/messages.js';
import {
  lockRedemption,
  releaseVoucher,
  settleRedemptionRow,
} from '../src/db/vouchers/redemptions.js';
import { refuse } from '../src/domain/errors.js';
import { parseMoney } from '../src/domain/money.js';
import type { OperationOutcome, RedemptionMade } from '../workflows/messages.js';
import type { ActivityDependencies } from './dependencies.js';

export function createRedemptionActivities({ database, limits, failpoint }: ActivityDependencies) {
  /** The second phase after the merchant was paid: gift-hold → clearing and service fees. */
  const postRedemption = (
    operationId: string,
    providerReference: string,
    /** The provider took it back in the meantime: that is booked next. */
    isReversed = false,
  ): Promise<OperationOutcome<RedemptionMade>> =>
    end(operationId, { status: 'POSTED', providerReference, isReversed });

  /** The second phase after the payment was refused: gift-hold → reserved. */
  const voidRedemption = (
    operationId: string,
    providerMessage: string,
  ): Promise<OperationOutcome<RedemptionMade>> =>
    end(operationId, { status: 'VOIDED', providerMessage, isReversed: false });

  async function end(
    operationId: string,
    ending:
      | {
          readonly status: 'POSTED';
          readonly providerReference: string;
          readonly isReversed: boolean;
        }
      | {
          readonly status: 'VOIDED';
          readonly providerMessage: string;
          readonly isReversed: false;
        },
  ): Promise<OperationOutcome<RedemptionMade>> {
    const outcome = await database.transaction().execute(async (transaction) => {
      const redemption = await lockRedemption(transaction, operationId);
      if (redemption.status !== 'HELD')
        return settledOutcome<RedemptionMade>(transaction, operationId);
      const posted = ending.status === 'POSTED';
      const settlement = {
        status: ending.status,
        providerReference: posted ? ending.providerReference : null,
        providerMessage: posted ? null : ending.providerMessage,
        isReversed: ending.isReversed,
      };
      await settleRedemptionRow(
        transaction,
        redemption.id,
        settlement,
        limits.reversalWatchSeconds,
      );
      await addTransfers(
        transaction,
        (posted ? postSteps(redemption) : voidSteps(redemption)).map((step) => ({
          operationId,
          partnerId: redemption.partner_id,
          ...step,
        })),
      );
      await releaseVoucher(transaction, redemption.voucher_id, posted ? 'spent' : 'returned');
      if (redemption.claim_id)
        await endClaim(transaction, redemption.claim_id, posted ? 'REDEEMED' : 'REFUSED');
      await failpoint('redeem-posted');
      if (posted) {
        return settleOperation<RedemptionMade>(transaction, operationId, 'SUCCEEDED', {
          ok: true,
          providerReference: ending.providerReference,
          platformReference: redemption.platform_reference,
        });
      }
      await cancelConfirmation(transaction, redemption.id);
      const refusal = refuse('payment-refused', { detail: ending.providerMessage });
      return settleOperation<RedemptionMade>(transaction, operationId, 'FAILED', refusal);
    });
    await failpoint('redeem-post-committed');
    return outcome;
  }

  return { postRedemption, voidRedemption };
}

interface RedemptionAmounts {
  readonly to_merchant: string;
  readonly service_fee: string;
}

type TransferStep = Omit<Transfer, 'operationId' | 'partnerId'>;

const postSteps = (redemption: RedemptionAmounts): TransferStep[] => [
  {
    step: 'post-payment',
    debit: 'gift-hold',
    credit: 'mobile-money-clearing',
    amount: parseMoney(redemption.to_merchant),
  },
  {
    step: 'post-service-fee',
    debit: 'gift-hold',
    credit: 'service-fees',
    amount: parseMoney(redemption.service_fee),
  },
];

const voidSteps = (redemption: RedemptionAmounts): TransferStep[] => [
  {
    step: 'void',
    debit: 'gift-hold',
    credit: 'reserved',
    amount: parseMoney(redemption.to_merchant) + parseMoney(redemption.service_fee),
  },
];
