import { companyAuthority } from '../../src/db/access/access.ts';
import type { Database, DatabaseTransaction } from '../../src/db/connection.ts';
import { findMessage, queueMessage } from '../../src/db/messages/messages.ts';
import {
  answerRefusal,
  beginOperation,
  settledOutcome,
  settleOperation,
} from '../../src/db/operations.ts';
import { book, sourceOf } from '../../src/db/positions/book.ts';
import { observed } from '../../src/db/positions/change.ts';
import { type LockedOrder, lockOrder, type PlacementRow } from '../../src/db/positions/orders.ts';
import { MissingRowError } from '../../src/db/refused-rows.ts';
import { paymentFacts } from '../../src/db/repairs/facts.ts';
import {
  findReversal,
  findReversalOfPlacement,
  insertReversal,
  lockForReversal,
  lockPendingReversal,
  noteReversalNeedsAction as noteNeedsAction,
  recordReversalEnd,
  voucherOfRedemption,
} from '../../src/db/vouchers/reversals.ts';
import { type LockedVoucher, lockVoucher } from '../../src/db/vouchers/vouchers.ts';
import { formatAmount, formatMoney, parseMoney } from '../../src/domain/money.ts';
import type { Ending, MobileMoneyProviderName } from '../../src/domain/providers.ts';
import {
  type AnsweredOperation,
  answered,
  type OperationOutcome,
  type Refusal,
  refuse,
} from '../../src/domain/refusals.ts';
import { refuseReversal } from '../../src/domain/vouchers/redemption.ts';
import { isOfRepair } from '../../src/domain/vouchers/voucher.ts';
import type { PaymentReversal } from '../../src/providers/mobile-money/mobile-money.ts';
import { type ProviderOutcome, unknown } from '../../src/providers/outcome.ts';
import type { RedemptionReversed, ReverseRedemptionCommand } from '../../workflows/contracts.ts';
import type { Named } from '../../workflows/steps/named-results.ts';
import type { Sending } from '../../workflows/steps/waiting.ts';
import { outcomeAfter } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { sendValue, withHeartbeat } from '../provider-call.ts';
import { askByTakenId, sendUnlessTaken } from '../providers.ts';
import { orSettledByHand, type SaidInquiry } from '../repairs.ts';
import { paymentOf } from './payments.ts';

export function createReversalCallActivities({
  database,
  mobileMoney,
  failpoint,
}: ActivityDependencies) {
  /** The reversal, and how its payment's provider is asked for it. */
  async function find(operationId: string) {
    const found = await findReversal(database, operationId);
    const reversals = reversalsAt(mobileMoney, found.provider);
    return { found, reversal: reversalOf(found), reversals };
  }

  /** Takes the payment of a redemption back; the reference is constant. */
  async function reversePayment(
    operationId: string,
    call: number,
    isFirst: boolean,
  ): Promise<Named<Sending<ProviderOutcome>>> {
    const { found, reversal, reversals } = await find(operationId);
    await failpoint('reverse-sending');
    const outcome = reversals
      ? await sendUnlessTaken(database, found, () => sendValue(() => reversals.reverse(reversal)))
      : unknown(WITHOUT_REVERSALS);
    await failpoint('reverse-sent');
    return { ...outcome, isFirst, of: { operationId, call } };
  }

  /** Asks the provider by our reference for the outcome of the reversal. */
  async function inquireReversal(operationId: string, call: number): Promise<Named<SaidInquiry>> {
    const { found, reversal, reversals } = await find(operationId);
    const answer = reversals
      ? await askByTakenId(database, found, (takenAs) =>
          withHeartbeat(() => reversals.findReversal(reversal, takenAs)),
        )
      : unknown(WITHOUT_REVERSALS);
    const concluded = await orSettledByHand(database, operationId, answer);
    return { ...concluded, of: { operationId, call } };
  }

  return { reversePayment, inquireReversal };
}

/** How the provider of a payment reverses it; undefined where it cannot, or is no longer configured. */
const reversalsAt = (
  mobileMoney: ActivityDependencies['mobileMoney'],
  provider: MobileMoneyProviderName,
) => (mobileMoney.names.includes(provider) ? mobileMoney.named(provider).reversals : undefined);

/** The reversal of a placement as it was sent; undefined for one without a request of ours. */
export async function findReversalCall(
  database: Database,
  placementId: number,
): Promise<PaymentReversal | undefined> {
  const found = await findReversalOfPlacement(database, placementId);
  return found && reversalOf(found);
}

/** The answer about a reversal that was begun under an earlier setting. */
const WITHOUT_REVERSALS = 'The configured provider cannot be asked about reversals.';

const reversalOf = (found: Awaited<ReturnType<typeof findReversal>>): PaymentReversal => ({
  reference: found.reference,
  payment: paymentOf({ ...found, reference: found.payment_reference }),
  paymentReference: found.payment_provider_reference ?? '',
  description: `Reversal of gift voucher redemption ${found.platform_reference}`,
});

const KIND = 'reverse-redemption';

/** A reversal that is recorded and may be sent, with texts for support staff. */
export interface ReversalBegun {
  readonly kind: 'begun';
  /** The workflow compares it: the reversal must be its own. */
  readonly operationId: string;
  /** An earlier run recorded it, and may have sent it. */
  readonly isResumed: boolean;
  /** Our reference of the reversal towards the provider. */
  readonly reference: string;
  readonly platformReference: string;
  readonly merchantName: string;
  readonly serialNumber: string;
  /** Decimal strings with two digits, for people. */
  readonly toMerchant: string;
  readonly serviceFee: string;
  /** The provider that made the payment, and is asked to take it back. */
  readonly provider: string;
}

type FoundReversal = Awaited<ReturnType<typeof findReversal>>;

/** Records a reversal before it is sent, or answers the refusal. */
async function beginOrAnswer(
  transaction: DatabaseTransaction,
  command: ReverseRedemptionCommand,
  dependencies: ActivityDependencies,
): Promise<ReversalBegun | AnsweredOperation<RedemptionReversed>> {
  const { operationId, requestDigest, redemptionId, reason } = command;
  const begun = await beginOperation<RedemptionReversed>(transaction, command, KIND);
  if (begun.kind === 'answered') return begun;
  const isResumed = begun.kind === 'resumed';
  if (!isResumed) {
    await dependencies.failpoint('reverse-begun');
    const refusal = await refusalFor(transaction, command, dependencies);
    if (refusal) return answerRefusal(transaction, command, refusal);
    const reference = dependencies.digests.paymentReference(operationId, 1);
    await insertReversal(transaction, {
      redemption_id: redemptionId,
      operation_id: operationId,
      request_digest: requestDigest,
      reference,
      reason,
    });
  }
  return describeBegun(await findReversal(transaction, operationId), { operationId, isResumed });
}

/** Locks voucher and redemption, and judges the reversal. */
async function refusalFor(
  transaction: DatabaseTransaction,
  { redemptionId, company }: ReverseRedemptionCommand,
  { settings, mobileMoney }: ActivityDependencies,
): Promise<Refusal | undefined> {
  const voucherId = await voucherOfRedemption(transaction, redemptionId);
  if (voucherId !== undefined) await lockVoucher(transaction, voucherId);
  await lockForReversal(transaction, redemptionId);
  const facts = await paymentFacts(transaction, redemptionId);
  const isOwn = company.kind === 'merchant' && facts?.merchantId === company.id;
  return refuseReversal(
    {
      ...(await companyAuthority(transaction, company, KIND)),
      redemption: isOwn ? facts : undefined,
      providerCanReverse:
        facts?.provider != null && reversalsAt(mobileMoney, facts.provider) !== undefined,
    },
    // A repair has judged the time: where it is over, a second person has confirmed the repair.
    isOfRepair(company) ? Number.POSITIVE_INFINITY : settings.vouchers.reversalWindowSeconds,
  );
}

const describeBegun = (
  found: FoundReversal,
  begun: Pick<ReversalBegun, 'operationId' | 'isResumed'>,
): ReversalBegun => ({
  kind: 'begun',
  ...begun,
  reference: found.reference,
  platformReference: found.platform_reference,
  merchantName: found.merchant_name,
  serialNumber: found.serial_number,
  toMerchant: formatAmount(parseMoney(found.to_merchant)),
  serviceFee: formatAmount(parseMoney(found.service_fee)),
  provider: found.provider,
});

/** The answer of a reversal, and the message that tells the owner. */
interface ReversalEnded {
  readonly outcome: OperationOutcome<RedemptionReversed>;
  readonly messageId: number | null;
}

export function createReversalActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /** Records a reversal before it is sent, or answers the refusal; idempotent by operation. */
  async function beginReversal(
    command: ReverseRedemptionCommand,
  ): Promise<ReversalBegun | AnsweredOperation<RedemptionReversed>> {
    try {
      const begun = await database
        .transaction()
        .execute((transaction) => beginOrAnswer(transaction, command, dependencies));
      await failpoint('reverse-committed');
      return begun;
    } catch (error) {
      return answered(await outcomeAfter(database, command, error));
    }
  }

  /** Books the end of a reversal. Idempotent. */
  async function endReversal(operationId: string, ending: Ending): Promise<ReversalEnded> {
    const ended = await database
      .transaction()
      .execute((transaction) => end(transaction, operationId, ending, dependencies));
    await failpoint('reverse-post-committed');
    return ended;
  }

  /** Records that a person must look at a pending reversal. */
  const noteReversalNeedsAction = (operationId: string): Promise<void> =>
    noteNeedsAction(database, operationId);

  return {
    beginReversal,
    endReversal,
    noteReversalNeedsAction,
  };
}

async function end(
  transaction: DatabaseTransaction,
  operationId: string,
  ending: Ending,
  dependencies: ActivityDependencies,
): Promise<ReversalEnded> {
  const reversal = await findReversal(transaction, operationId);
  const order = await lockOrder(transaction, reversal.payment_operation_id);
  if (!(await lockPendingReversal(transaction, reversal.id))) {
    const message = await findMessage(transaction, 'reversal_id', reversal.id);
    return {
      outcome: await settledOutcome(transaction, operationId),
      messageId: message?.id ?? null,
    };
  }
  const pending = { operationId, reversal, order };
  return ending.kind === 'done'
    ? credit(transaction, pending, ending, dependencies)
    : fail(transaction, pending, ending, dependencies);
}

/** A reversal whose order is locked. */
interface PendingReversal {
  readonly operationId: string;
  readonly reversal: FoundReversal;
  readonly order: LockedOrder;
}

/**
 * Ends a reversal that was not done: the payment stands. A provider may have refused it because it took the payment back
 * by itself, so it is asked about the payment next.
 */
async function fail(
  transaction: DatabaseTransaction,
  { operationId, reversal, order }: PendingReversal,
  ending: Extract<Ending, { kind: 'not-done' }>,
  { settings }: ActivityDependencies,
): Promise<ReversalEnded> {
  const { message } = ending;
  const source = sourceOf(ending);
  await recordReversalEnd(transaction, reversal.id, {
    status: 'FAILED',
    providerMessage: message,
  });
  const refused = placedWhere(order, isAt(reversal.reference));
  const after = observed(order.position, refused.id, {
    at: order.now,
    source,
    said: 'nothing',
    message,
  });
  const payment = placedWhere(
    order,
    ({ kind, provider }) => kind === 'payment' && provider === refused.provider,
  );
  const { id: askNow } = source === 'person' ? refused : payment;
  await book(transaction, order, after, { source, askNow }, settings.topups);
  const refusal = refuse('reversal-refused', { detail: message });
  const outcome = await settleOperation<RedemptionReversed>(
    transaction,
    operationId,
    'FAILED',
    refusal,
  );
  return { outcome, messageId: null };
}

/**
 * Books a reversal that the provider confirmed: the voucher grows under its lock, or its partner gets the value, and
 * the owner's message is queued.
 */
async function credit(
  transaction: DatabaseTransaction,
  { operationId, reversal, order }: PendingReversal,
  ending: Extract<Ending, { kind: 'done' }>,
  { failpoint, settings }: ActivityDependencies,
): Promise<ReversalEnded> {
  const { providerReference } = ending;
  const source = sourceOf(ending);
  // Where a person gave the answer, the provider is asked again at once: it may have taken back another amount.
  const { id } = placedWhere(order, isAt(reversal.reference));
  const told = observed(order.position, id, {
    at: order.now,
    source,
    said: 'done',
    providerReference,
  });
  // The merchant has asked for it, so that the value goes back to the payer at once.
  const after = { ...told, order: { ...told.order, isCharged: false } };
  const change = { source, ...(source === 'person' && { askNow: id }) } as const;
  const { position } = await book(transaction, order, after, change, settings.topups);
  const creditedTo = position.order.creditedTo === 'partner' ? 'gift' : 'voucher';
  await recordReversalEnd(transaction, reversal.id, {
    status: 'SUCCESS',
    providerReference,
    creditedTo,
  });
  const voucher = await lockVoucher(transaction, reversal.voucher_id);
  if (!voucher) throw new MissingRowError('The voucher of a reversal is gone');
  const messageId = await queueNotice(transaction, {
    voucher,
    creditedTo,
    reversalId: reversal.id,
  });
  await failpoint('reverse-posted');
  const amount = formatMoney(position.order.price + position.order.fee);
  const outcome = await settleOperation<RedemptionReversed>(transaction, operationId, 'SUCCEEDED', {
    ok: true,
    amount,
    creditedTo,
    providerReference,
  });
  return { outcome, messageId };
}

const isAt = (reference: string) => (placement: PlacementRow) => placement.reference === reference;

function placedWhere(
  { position }: LockedOrder,
  isWanted: (placement: PlacementRow) => boolean,
): PlacementRow {
  const placement = position.placements.find(isWanted);
  if (!placement) throw new MissingRowError('The reversal has no placement');
  return placement;
}

/** Queues the message to the owner, unless the voucher has ended or its date has passed. */
async function queueNotice(
  transaction: DatabaseTransaction,
  credited: {
    readonly voucher: LockedVoucher;
    readonly creditedTo: 'voucher' | 'gift';
    readonly reversalId: number;
  },
): Promise<number | null> {
  const { voucher, creditedTo, reversalId } = credited;
  const { owner_msisdn: msisdn, is_past_expiry: isPast } = voucher;
  if (creditedTo === 'gift' || msisdn === null || isPast) return null;
  return queueMessage(transaction, {
    kind: 'REVERSAL_NOTICE',
    msisdn,
    voucher_id: voucher.id,
    reversal_id: reversalId,
  });
}
