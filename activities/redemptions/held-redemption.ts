import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { findMessage } from '../../src/db/vouchers/messages.ts';
import { lockRedemption, type NewRedemption } from '../../src/db/vouchers/redemptions.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import { maskMsisdn } from '../../src/domain/phone.ts';

/** A redemption on hold, with texts for support staff. */
export interface RedemptionHeld {
  readonly kind: 'held';
  /** Compared by the workflow: the hold must be its own. */
  readonly operationId: string;
  /** An earlier run held it, and may have sent it. */
  readonly isResumed: boolean;
  readonly messageId: number | null;
  readonly platformReference: string;
  /** The payment's reference at the provider. */
  readonly paymentReference: string;
  readonly merchantName: string;
  /** Masked. */
  readonly payoutAccount: string;
  readonly serialNumber: string;
  /** Who pays it; null is the default of a time before routes. */
  readonly provider: string | null;
  /** Decimal strings with two digits, for people. */
  readonly toMerchant: string;
  readonly serviceFee: string;
}

/** The hold of an earlier attempt of this operation. */
export async function resumeHold(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<RedemptionHeld> {
  const redemption = await lockRedemption(transaction, operationId);
  const message = await findMessage(transaction, { redemptionId: redemption.id });
  return describeHold({
    operationId,
    isResumed: true,
    messageId: message?.id ?? null,
    platformReference: redemption.platform_reference,
    paymentReference: redemption.payment_reference,
    merchantName: redemption.merchant_name,
    serialNumber: redemption.serial_number,
    payee: redemption.payee,
    provider: redemption.provider,
    toMerchant: redemption.to_merchant,
    serviceFee: redemption.service_fee,
  });
}

/** The description of a hold; it has the payee in clear, its results only masked. */
type HoldRecord = Omit<RedemptionHeld, 'kind' | 'payoutAccount'> & Pick<NewRedemption, 'payee'>;

export const describeHold = (hold: HoldRecord): RedemptionHeld => ({
  kind: 'held',
  operationId: hold.operationId,
  isResumed: hold.isResumed,
  messageId: hold.messageId,
  serialNumber: hold.serialNumber,
  provider: hold.provider,
  platformReference: hold.platformReference,
  paymentReference: hold.paymentReference,
  merchantName: hold.merchantName,
  payoutAccount: hold.payee.map(({ key, value }) => `${key} ${maskMsisdn(value)}`).join(', '),
  toMerchant: formatAmount(parseMoney(hold.toMerchant)),
  serviceFee: formatAmount(parseMoney(hold.serviceFee)),
});
