import type { Database } from '../../src/db/connection.ts';
import {
  forgetSending,
  markSending,
  noteUnknown,
  wasNeverSent,
} from '../../src/db/positions/sendings.ts';
import { redemptionPayment } from '../../src/db/vouchers/redemptions.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import type { MobileMoney, Payment } from '../../src/providers/mobile-money/mobile-money.ts';
import {
  type ProviderInquiry,
  type ProviderOutcome,
  unknown,
} from '../../src/providers/outcome.ts';
import type { Named } from '../../workflows/steps/named-results.ts';
import type { Sending, WithProviders } from '../../workflows/steps/waiting.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { sendValue, withHeartbeat } from '../provider-call.ts';
import {
  afterInquiry,
  askByTakenId,
  askProvider,
  canConfirmHolder,
  checkingAccount,
  isFirstSending,
  sendOrFailOver,
  withOtherPlacements,
} from '../providers.ts';
import type { SaidInquiry } from '../repairs.ts';
import { paysTo } from './facts.ts';

/**
 * Sends a payment. A provider that would pay a repetition again gets the payment at most once. A
 * mark in the database precedes the sending. Only a payment that was provably not sent, or refused
 * at once, loses the mark.
 */
async function sendPayment(
  database: Database,
  provider: Pick<MobileMoney, 'pay' | 'repetition'>,
  { operationId, payment }: { readonly operationId: string; readonly payment: Payment },
): Promise<ProviderOutcome> {
  const pay = () => provider.pay(payment);
  return provider.repetition === 'safe' ? sendValue(pay) : sendOnce(database, operationId, pay);
}

async function sendOnce(
  database: Database,
  operationId: string,
  send: () => Promise<ProviderOutcome>,
): Promise<ProviderOutcome> {
  if (!(await markSending(database, operationId)))
    return unknown('it may have been sent before a fault, and is not sent again');
  const outcome = await withHeartbeat(send);
  if (outcome.kind === 'not-sent' || outcome.kind === 'refused')
    await forgetSending(database, operationId);
  return outcome;
}

/**
 * Asks for the outcome of a payment. For a payment that is sent at most once, our own mark tells
 * whether it was sent, which its provider can never say.
 */
async function askForPayment(
  database: Database,
  provider: Pick<MobileMoney, 'findPayment' | 'repetition'>,
  {
    operationId,
    payment,
    takenAs,
  }: {
    readonly operationId: string;
    readonly payment: Payment;
    readonly takenAs: string | undefined;
  },
): Promise<ProviderInquiry> {
  if (provider.repetition === 'never' && (await wasNeverSent(database, operationId)))
    return { kind: 'never-seen' };
  return withHeartbeat(() => provider.findPayment(payment, takenAs));
}

/** ETB is the only currency of vouchers (specification 2.4). */
const CURRENCY = 'ETB';

export function createPaymentActivities(dependencies: ActivityDependencies) {
  const { database, mobileMoney, failpoint } = dependencies;

  /**
   * Pays the merchant of a held redemption; the reference is constant. `isFirst` promises that nothing
   * can have been sent before, so that another provider may pay where the first did nothing.
   */
  async function payMerchant(
    operationId: string,
    call: number,
    isFirst: boolean,
  ): Promise<Named<Sending<ProviderOutcome>>> {
    if (!isFirstSending(isFirst)) await noteUnknown(database, operationId);
    const payment = await redemptionPayment(database, operationId);
    await failpoint('redeem-paying');
    const sent = { operationId, payment: paymentOf(payment) };
    const outcome = await sendOrFailOver(dependencies, {
      placed: { subject: 'payment', operationId },
      set: mobileMoney,
      row: payment,
      isFirst,
      canServe: (port, name) =>
        paysTo(port, payment.payee[0]) && canConfirmHolder(port, name, payment.account),
      send: (port, name) =>
        sendPayment(database, checkingAccount(database, { name, port }, payment.account), sent),
    });
    await failpoint('redeem-paid');
    const concluded = await withOtherPlacements(database, operationId, outcome, outcome.asked);
    return { ...concluded, asked: outcome.asked, of: { operationId, call } };
  }

  /** Asks the provider by our reference for the outcome of the payment. */
  async function inquirePayment(
    operationId: string,
    call: number,
  ): Promise<Named<WithProviders<SaidInquiry>>> {
    const payment = await redemptionPayment(database, operationId);
    const answer = await askProvider(mobileMoney, payment.provider, (port) =>
      askByTakenId(database, payment, (takenAs) =>
        askForPayment(database, port, { operationId, payment: paymentOf(payment), takenAs }),
      ),
    );
    const { provider, failovers } = payment;
    const asked = { provider, failovers };
    const found = await afterInquiry(database, operationId, answer, asked);
    // A run that was cut off may have died before it noted this.
    if (found.kind === 'unknown') await noteUnknown(database, operationId, found.message);
    return {
      ...found,
      asked,
      of: { operationId, call },
    };
  }

  return { payMerchant, inquirePayment };
}

type FoundPayment = Omit<
  Awaited<ReturnType<typeof redemptionPayment>>,
  'serial_number' | 'provider' | 'takenAs' | 'account' | 'failovers'
> & {
  readonly serial_number?: string;
};

/**
 * The payment for the provider, which its answers are compared with. Its description names the
 * voucher, so that the provider's books identify a payment whose row a restore took back.
 */
export const paymentOf = (payment: FoundPayment): Payment => ({
  reference: payment.reference,
  amount: formatAmount(parseMoney(payment.to_merchant)),
  currency: CURRENCY,
  payee: payment.payee,
  description: `Gift voucher redemption ${payment.platform_reference}${
    payment.serial_number === undefined ? '' : `, voucher ${payment.serial_number}`
  }`,
});
