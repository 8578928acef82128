import { recordUnconfirmed } from '../../src/db/catalogue/payout-accounts.ts';
import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { findMessage } from '../../src/db/messages/messages.ts';
import type { ClaimContext } from '../../src/db/vouchers/claims.ts';
import {
  lockRedemption,
  type NewRedemption,
  type PayoutContext,
  type RedemptionContext,
} from '../../src/db/vouchers/redemptions.ts';
import type { LockedVoucher } from '../../src/db/vouchers/vouchers.ts';
import { formatAmount, formatMoney, type Money, parseMoney } from '../../src/domain/money.ts';
import { maskedAccount } from '../../src/domain/payout-account.ts';
import { type NumberBox, operatorOf } from '../../src/domain/phone.ts';
import type { MobileMoneyProviderName } from '../../src/domain/providers.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import type { ClaimFacts, MessageCounts, SettledAmounts } from '../../src/domain/vouchers/claim.ts';
import type { RedemptionFacts, RedemptionRequest } from '../../src/domain/vouchers/redemption.ts';
import type {
  MobileMoney,
  PartyIdentifier,
} from '../../src/providers/mobile-money/mobile-money.ts';
import { choiceFor } from '../../src/providers/provider-set.ts';
import type { ClaimCommand, RedeemCommand } from '../../workflows/contracts.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { canConfirmHolder } from '../providers.ts';

/** The facts of a voucher that all checks need, from its locked row. */
export const voucherFacts = (voucher: LockedVoucher) => ({
  partnerId: voucher.partner_id,
  merchantId: voucher.merchant_id,
  isRestricted: voucher.is_restricted,
  status: voucher.status,
  isPastExpiry: Boolean(voucher.is_past_expiry),
  remaining: parseMoney(voucher.remaining),
});

/**
 * A merchant redeems for itself; a partner for the merchant of the request, or the voucher's own.
 */
export const payeeOf = (command: RedeemCommand, voucher: LockedVoucher): number =>
  command.company.kind === 'merchant'
    ? command.company.id
    : (command.merchantId ?? voucher.merchant_id);

/** A redemption that passed the checks, with the rows they used. */
export interface PricedRedemption {
  readonly command: RedeemCommand;
  readonly voucher: LockedVoucher;
  readonly context: RedemptionContext;
  readonly settlement: SettledAmounts;
  /** The provider that pays. */
  readonly provider: MobileMoneyProviderName;
}

/** The row of a redemption; it freezes payee, amounts and references. */
export function newRedemption(
  { command, voucher, context, settlement, provider }: PricedRedemption,
  paymentReference: string,
): NewRedemption {
  const { claim, party } = context;
  return {
    operation_id: command.operationId,
    request_digest: command.requestDigest,
    voucher_id: voucher.id,
    claim_id: claim?.id ?? null,
    company_kind: command.company.kind,
    company_id: command.company.id,
    merchant_id: payeeOf(command, voucher),
    to_merchant: formatMoney(settlement.toMerchant),
    service_fee: formatMoney(settlement.fee),
    payment_reference: paymentReference,
    provider,
    platform_reference: `RDM-${command.operationId.slice(0, 16).toUpperCase()}`,
    payee: party ? [party] : [],
  };
}

/** The request of domain/vouchers/redemption.ts. */
export const redemptionRequest = (
  command: RedeemCommand,
  merchantId: number,
): RedemptionRequest => ({
  company: command.company,
  merchantId,
  amount: command.amount === null ? undefined : parseMoney(command.amount),
  codeDigest: command.verificationCodeDigest ?? undefined,
  otherCodeDigests: command.otherCodeDigests ?? [],
  msisdn: command.msisdn ?? undefined,
});

/** The choice of the provider that pays a merchant. */
export async function payoutChoice(
  operationId: string,
  context: PayoutContext,
  dependencies: Pick<ActivityDependencies, 'mobileMoney' | 'digests'>,
) {
  const { mobileMoney, digests } = dependencies;
  const { routes, party, account } = context;
  const routed = {
    kind: 'payout',
    routes,
    operator: party?.key === 'msisdn' ? operatorOf(party.value) : undefined,
    shareOf: (routeId: number) => digests.routeShare(operationId, routeId),
  } as const;
  const ofAmount = choiceFor(mobileMoney, routed);
  const ofAccount = choiceFor(mobileMoney, { ...routed, canServe: (port) => paysTo(port, party) });
  const ofHolder = choiceFor(mobileMoney, {
    ...routed,
    canServe: (port, _amount, name) => paysTo(port, party) && canConfirmHolder(port, name, account),
  });
  const canPay = ({ candidates }: typeof ofAmount, amount: Money) => candidates(amount).length > 0;
  return {
    /** Whether a provider can pay the amount, whatever the account. */
    canCarry: (amount: Money): boolean => canPay(ofAmount, amount),
    /** The provider that pays, or why nothing is to be held. */
    choose: ofHolder.choose,
    /** Refuses an account that no provider of an amount pays to; the amount can be carried. */
    async refuseAccount(
      transaction: DatabaseTransaction,
      amount: Money,
    ): Promise<Refusal | undefined> {
      if (!canPay(ofAmount, amount) || canPay(ofHolder, amount)) return undefined;
      const unconfirmed = ofAccount.candidates(amount);
      await recordUnconfirmed(transaction, account, unconfirmed);
      const detail =
        unconfirmed.length > 0
          ? 'no provider can confirm who holds it'
          : `no provider pays to its ${party?.key}`;
      return refuse('payout-account-missing', { detail });
    },
  };
}

/** Whether a provider pays to an account. Without an account the answer is yes, because another rule refuses it. */
export const paysTo = (
  port: Pick<MobileMoney, 'canPayTo'>,
  party: PartyIdentifier | null | undefined,
): boolean => !party || (port.canPayTo?.(party) ?? true);

/** The facts of domain/vouchers/redemption.ts, from the database's rows. */
export function redemptionFacts(
  voucher: LockedVoucher,
  context: RedemptionContext,
  payment: {
    readonly canPay: RedemptionFacts['canPay'];
    readonly numbers: NumberBox;
    /** A case of another payment of the voucher is open. */
    readonly isBlocked: boolean;
  },
): RedemptionFacts {
  const { canPay, numbers, isBlocked } = payment;
  const { claim, wrongCodes } = context;
  return {
    ...context,
    voucher: {
      ...voucherFacts(voucher),
      ownerMsisdn: numbers.openIfAny(voucher.owner_msisdn),
    },
    claim: claim && {
      ...claim,
      amount: claim.amount === null ? undefined : parseMoney(claim.amount),
    },
    wrongCodes: { ...wrongCodes, ofVoucher: voucher.wrong_codes },
    isBlocked,
    canPay,
  };
}

/** A redemption on hold, with texts for support staff. */
export interface RedemptionHeld {
  readonly kind: 'held';
  /** The workflow compares it: the hold must be its own. */
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
  /** The provider that pays. */
  readonly provider: string;
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
  const message = await findMessage(transaction, 'redemption_id', redemption.id);
  const { provider, merchantName, serialNumber } = redemption;
  return describeHold(redemption, {
    operationId,
    isResumed: true,
    messageId: message?.id ?? null,
    provider,
    merchantName,
    serialNumber,
  });
}

/** The description of a hold; its row has the payee in clear, its results only masked. */
export const describeHold = (
  row: Pick<
    NewRedemption,
    'platform_reference' | 'payment_reference' | 'payee' | 'to_merchant' | 'service_fee'
  >,
  held: Pick<
    RedemptionHeld,
    'operationId' | 'isResumed' | 'messageId' | 'merchantName' | 'serialNumber' | 'provider'
  >,
): RedemptionHeld => ({
  kind: 'held',
  ...held,
  platformReference: row.platform_reference,
  paymentReference: row.payment_reference,
  payoutAccount: row.payee.map(maskedAccount).join(', '),
  toMerchant: formatAmount(parseMoney(row.to_merchant)),
  serviceFee: formatAmount(parseMoney(row.service_fee)),
});

/**
 * The merchant to be paid, as far as the claim determines it: the claiming merchant, or the
 * merchant of a restricted voucher. Null for an unrestricted one, whose redemption names the
 * merchant.
 */
export function payeeOfClaim({ company }: ClaimCommand, voucher: LockedVoucher): number | null {
  if (company.kind === 'merchant') return company.id;
  return voucher.is_restricted ? voucher.merchant_id : null;
}

/** The facts of domain/vouchers/claim.ts, from the database's rows. */
export function claimFacts(
  voucher: LockedVoucher,
  context: ClaimContext,
  means: {
    readonly messages: MessageCounts;
    readonly canPay: ClaimFacts['canPay'];
  },
): ClaimFacts {
  return {
    ...context,
    ...means.messages,
    voucher: { ...voucherFacts(voucher), isAnonymous: voucher.owner_msisdn === null },
    canPay: means.canPay,
  };
}
