import type { Database } from '../../src/db/connection.ts';
import { findReversal, findReversalOfPlacement } from '../../src/db/vouchers/reversals.ts';
import type { MobileMoneyProviderName } from '../../src/domain/providers/provider-names.ts';
import type { PaymentReversal } from '../../src/providers/mobile-money/mobile-money.ts';
import {
  type ProviderInquiry,
  type ProviderOutcome,
  unknown,
} from '../../src/providers/outcome.ts';
import type { Named } from '../../workflows/steps/named-results.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { sendValue, withHeartbeat } from '../provider-call.ts';
import { paymentOf } from './payments.ts';

export function createReversalCallActivities({
  database,
  mobileMoney,
  failpoint,
}: ActivityDependencies) {
  /** The reversal, and how its payment's provider is asked for it. */
  async function find(operationId: string) {
    const found = await findReversal(database, operationId);
    const reversals = canReverse(mobileMoney, found.provider)
      ? mobileMoney.named(found.provider).reversals
      : undefined;
    return { reversal: reversalOf(found), reversals };
  }

  /** Takes the payment of a redemption back; the reference is constant. */
  async function reversePayment(
    operationId: string,
    call: number,
  ): Promise<Named<ProviderOutcome>> {
    const { reversal, reversals } = await find(operationId);
    await failpoint('reverse-sending');
    const outcome = reversals
      ? await sendValue(() => reversals.reverse(reversal))
      : unknown(WITHOUT_REVERSALS);
    await failpoint('reverse-sent');
    return { ...outcome, of: { operationId, call } };
  }

  /** Asks the provider by our reference for the outcome of the reversal. */
  async function inquireReversal(
    operationId: string,
    call: number,
  ): Promise<Named<ProviderInquiry>> {
    const { reversal, reversals } = await find(operationId);
    const found = reversals
      ? await withHeartbeat(() => reversals.findReversal(reversal))
      : unknown(WITHOUT_REVERSALS);
    return { ...found, of: { operationId, call } };
  }

  return { reversePayment, inquireReversal };
}

/** Whether the provider of a payment can reverse it; one that is no longer configured cannot. */
export const canReverse = (
  mobileMoney: ActivityDependencies['mobileMoney'],
  provider: MobileMoneyProviderName | null,
): boolean =>
  mobileMoney.names.includes(provider ?? mobileMoney.defaultName) &&
  mobileMoney.named(provider).reversals !== undefined;

/** The reversal of a placement as it was sent. */
export const findReversalCall = async (
  database: Database,
  placementId: number,
): Promise<PaymentReversal> => reversalOf(await findReversalOfPlacement(database, placementId));

/** Said of a reversal that was begun under an earlier setting. */
const WITHOUT_REVERSALS = 'The configured provider cannot be asked about reversals.';

const reversalOf = (found: Awaited<ReturnType<typeof findReversal>>): PaymentReversal => ({
  reference: found.reference,
  payment: paymentOf({ ...found, status: 'POSTED' }),
  paymentReference: found.payment_provider_reference ?? '',
  description: `Reversal of gift voucher redemption ${found.platform_reference}`,
});
