import { recordUnconfirmed } from '../../src/db/catalogue/payout-account-checks.ts';
import type { DatabaseTransaction } from '../../src/db/connection.ts';
import type { RedemptionContext } from '../../src/db/vouchers/redemption-context.ts';
import type { NewRedemption } from '../../src/db/vouchers/redemptions.ts';
import type { LockedVoucher } from '../../src/db/vouchers/vouchers.ts';
import { formatMoney, type Money, parseMoney } from '../../src/domain/money.ts';
import type { NumberBox } from '../../src/domain/phone.ts';
import type { MobileMoneyProviderName } from '../../src/domain/providers/provider-names.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import type {
  RedemptionFacts,
  RedemptionRequest,
  SettledAmounts,
} from '../../src/domain/vouchers/redemption.ts';
import type {
  MobileMoney,
  PartyIdentifier,
} from '../../src/providers/mobile-money/mobile-money.ts';
import { choiceFor, type ProviderChoice } from '../../src/providers/provider-choice.ts';
import type { RedeemCommand } from '../../workflows/contracts.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { canConfirmHolder } from '../providers/payout-accounts.ts';
import { voucherFacts } from './voucher-facts.ts';

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
  /** Pays it. */
  readonly provider: MobileMoneyProviderName;
}

/** The row of a redemption; it freezes payee, amounts and references. */
export function newRedemption(
  { command, voucher, context, settlement, provider }: PricedRedemption,
  paymentReference: string,
): NewRedemption {
  const { party_key: key, party_value: value } = context;
  return {
    operationId: command.operationId,
    requestDigest: command.requestDigest,
    voucherId: voucher.id,
    claimId: context.claim_id,
    company: command.company,
    merchantId: payeeOf(command, voucher),
    toMerchant: formatMoney(settlement.toMerchant),
    serviceFee: formatMoney(settlement.fee),
    paymentReference,
    provider,
    platformReference: `RDM-${command.operationId.slice(0, 16).toUpperCase()}`,
    payee: key !== null && value !== null ? [{ key, value }] : [],
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

/** Who can pay a merchant. */
export interface PayoutChoice {
  /** Whether a provider can pay the amount, whatever the account. */
  canCarry(amount: Money): boolean;
  /** The provider that pays, or why nothing is to be held. */
  readonly choose: ProviderChoice<MobileMoneyProviderName>['choose'];
  /** Refuses an account that no provider of an amount pays to; the amount can be carried. */
  refuseAccount(transaction: DatabaseTransaction, amount: Money): Promise<Refusal | undefined>;
}

/** The choice of the provider that pays a merchant. */
export async function payoutChoice(
  operationId: string,
  context: Pick<
    RedemptionContext,
    'payout_routes' | 'party_key' | 'party_value' | 'payout_account'
  >,
  dependencies: Pick<ActivityDependencies, 'mobileMoney' | 'digests' | 'operatorLookup'>,
): Promise<PayoutChoice> {
  const { mobileMoney, digests, operatorLookup } = dependencies;
  const { payout_routes: routes, party_key: key, party_value: value } = context;
  const { payout_account: account } = context;
  const routed = {
    kind: 'payout',
    routes,
    operator: key === 'msisdn' && value !== null ? await operatorLookup(value) : undefined,
    shareOf: (routeId: number) => digests.routeShare(operationId, routeId),
  } as const;
  const party = key !== null && value !== null ? { key, value } : undefined;
  const ofAmount = choiceFor(mobileMoney, routed);
  const ofAccount = choiceFor(mobileMoney, { ...routed, canServe: (port) => paysTo(port, party) });
  const ofHolder = choiceFor(mobileMoney, {
    ...routed,
    canServe: (port, _amount, name) => paysTo(port, party) && canConfirmHolder(port, name, account),
  });
  const canPay = ({ candidates }: typeof ofAmount, amount: Money) => candidates(amount).length > 0;
  return {
    canCarry: (amount) => canPay(ofAmount, amount),
    choose: ofHolder.choose,
    async refuseAccount(transaction, amount) {
      if (!canPay(ofAmount, amount) || canPay(ofHolder, amount)) return undefined;
      const unconfirmed = ofAccount.candidates(amount);
      await recordUnconfirmed(transaction, account, unconfirmed);
      const detail =
        unconfirmed.length > 0
          ? 'no provider can confirm who holds it'
          : `no provider pays to its ${key}`;
      return refuse('payout-account-missing', { detail });
    },
  };
}

/** Whether a provider pays to an account; without one the lack of it is refused elsewhere. */
export const paysTo = (
  port: Pick<MobileMoney, 'canPayTo'>,
  party: PartyIdentifier | undefined,
): boolean => party === undefined || (port.canPayTo?.(party) ?? true);

/** The facts of domain/vouchers/redemption.ts, from the database's rows. */
export function redemptionFacts(
  voucher: LockedVoucher,
  context: RedemptionContext,
  payment: {
    readonly merchantId: number;
    readonly canPay: RedemptionFacts['canPay'];
    readonly numbers: NumberBox;
    /** A case of another payment of the voucher is open. */
    readonly isBlocked: boolean;
  },
): RedemptionFacts {
  const { merchantId, canPay, numbers, isBlocked } = payment;
  const { claim_id, claim_amount, claim_code_digest, claim_code_digits } = context;
  return {
    isAdmitted: context.is_admitted,
    voucher: { ...voucherFacts(voucher), ownerMsisdn: numbers.openIfAny(voucher.owner_msisdn) },
    partnerIsActive: context.partner_status === 'ACTIVE',
    merchant:
      context.merchant_status === null
        ? undefined
        : {
            id: merchantId,
            isActive: context.merchant_status === 'ACTIVE',
            feePercent: context.service_fee_percent,
            hasPayoutAccount: context.party_key !== null,
          },
    claim:
      claim_id === null || claim_code_digest === null || claim_code_digits === null
        ? undefined
        : {
            amount: claim_amount === null ? undefined : parseMoney(claim_amount),
            wasWhole: context.claim_was_whole ?? false,
            feePercent: context.claim_fee_percent,
            codeDigest: claim_code_digest,
            codeDigits: claim_code_digits,
          },
    wrongCodes: {
      count: context.wrong_codes,
      retryAfterSeconds: context.wrong_codes_retry_seconds,
      ofVoucher: voucher.wrong_codes,
    },
    partialRedemptions: context.partial_redemptions,
    hasDisputedPayment: isBlocked,
    canPay,
  };
}
