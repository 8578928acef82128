import type { SearchAttributePair } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { MessageOutcome } from '../../activities/messages.ts';
import type { ClaimStarted } from '../../activities/redemptions/claims.ts';
import type { RedemptionHeld } from '../../activities/redemptions/facts.ts';
import type { Ending } from '../../src/domain/providers.ts';
import type { OperationOutcome, Refusal } from '../../src/domain/refusals.ts';
import { databaseInTurn, providers } from '../activity-options.ts';
import {
  type ClaimMade,
  createNudges,
  type RedeemCommand,
  type RedeemVoucherInput,
  type RedemptionMade,
  type RedemptionTiming,
} from '../contracts.ts';
import { inRows } from '../current-details.ts';
import { outcome, reference, voucherSerial } from '../search-attributes.ts';
import { bookUntilDone } from '../steps/database-steps.ts';
import { finalOutcome } from '../steps/final-outcome.ts';
import { isHeldBy, namedCalls, raiseForeignHold } from '../steps/named-results.ts';
import { askedFirst, noteAsked } from '../steps/waiting.ts';
import type { CodeDelivery } from './code-delivery.ts';
import {
  describeRedemption,
  type RedeemVoucherResult,
  type ShownRedemption,
  showClaimed,
  showNotPaid,
  showPaid,
  showPaying,
  showUnknown,
} from './redemption-details.ts';

/** Pays the merchant of a held redemption; ends when the outcome is known. */
function payUntilKnown(
  operationId: string,
  hold: ShownRedemption,
  { takeNudge, ...timing }: RedemptionTiming & { readonly takeNudge: () => boolean },
): Promise<Ending> {
  const named = namedCalls(operationId);
  const summary = `ETB ${hold.toMerchant} to the merchant, ${hold.platformReference}`;
  let isMarked = false;
  return finalOutcome({
    timing,
    possiblySent: hold.isResumed,
    takeNudge,
    send: (isFirst) => named(providers.payMerchant, `Pay ${summary}`, isFirst),
    inquire: () => named(providers.inquirePayment, `Ask about ${summary}`),
    note: noteAsked(hold),
    whileUnknown: async (lastMessage, urgency) => {
      if (!isMarked)
        upsertSearchAttributes([...attributesOf(hold), { key: outcome, value: 'UNKNOWN' }]);
      isMarked = true;
      showUnknown(hold, lastMessage, urgency);
    },
  });
}

/** The search attributes of a redemption: its voucher, our references and those of the provider. */
const attributesOf = (
  hold: RedemptionHeld,
  ...providerReferences: readonly string[]
): SearchAttributePair[] => [
  inRows(`Payment of ETB ${hold.toMerchant} to ${hold.merchantName}`),
  { key: voucherSerial, value: hold.serialNumber },
  {
    key: reference,
    value: [hold.platformReference, hold.paymentReference, ...providerReferences],
  },
];

/** The state that the claim and the redemptions of one run of `redeemVoucher` share. */
export interface RedemptionRun extends RedeemVoucherInput {
  readonly database: ReturnType<typeof databaseInTurn>;
  readonly nudges: ReturnType<typeof createNudges>;
  /** The running redemptions, by the request that each carries out (`redeemOnce`). */
  readonly redemptions: Map<string, Promise<OperationOutcome<RedemptionMade>>>;
  /** Promises that the workflow awaits before it ends. */
  readonly background: Promise<unknown>[];
  claimOutcome?: OperationOutcome<ClaimMade>;
  started?: ClaimStarted;
  /** The outcome of the message with the code; absent while it is being sent. */
  codeMessage?: MessageOutcome;
  /** The provider's newest delivery report about the message with the code, or about its resend. */
  delivery?: CodeDelivery;
  wrongCodes?: number | undefined;
  /** The refusal of the last attempted claim or redemption. */
  refusal?: Refusal;
  ended?: RedeemVoucherResult['ended'];
}

export const createRedemptionRun = (input: RedeemVoucherInput): RedemptionRun => ({
  ...input,
  database: databaseInTurn(),
  nudges: createNudges(input.timing.maximumNudges),
  redemptions: new Map(),
  background: [],
});

/**
 * Shows a refused claim or redemption to support staff.
 *
 * @param isNew false for a stored answer: a wrong code counts once, however often its request is repeated
 */
export function noteRefusal(
  run: RedemptionRun,
  result: { readonly ok: true } | Refusal,
  isNew = true,
): void {
  if (result.ok) return;
  run.refusal = result;
  if (isNew && result.reason === 'verification-code-incorrect')
    run.wrongCodes = (run.wrongCodes ?? 0) + 1;
  if (run.ended === undefined) showProgress(run);
}

/** Shows a claim that is waiting for its redemption. */
export function showProgress(run: RedemptionRun): void {
  const { started, codeMessage, delivery, wrongCodes, refusal } = run;
  if (started) showClaimed(started, { message: codeMessage, delivery, wrongCodes, refusal });
}

/**
 * Redeems once: equal requests share one redemption while it runs. A request with an idempotency key is known by its
 * operation, a request without a key by its company and content.
 */
export function redeemOnce(
  run: RedemptionRun,
  command: RedeemCommand,
): Promise<OperationOutcome<RedemptionMade>> {
  const sameRequest = command.hasKey ? command.operationId : 'no key';
  const id = `${sameRequest} ${command.company.kind} ${command.company.id} ${command.requestDigest}`;
  const running = run.redemptions.get(id);
  if (running !== undefined) return running;
  const redemption = holdPayAndBook(run, command).finally(() => run.redemptions.delete(id));
  run.redemptions.set(id, redemption);
  return redemption;
}

async function holdPayAndBook(
  run: RedemptionRun,
  command: RedeemCommand,
): Promise<OperationOutcome<RedemptionMade>> {
  const { database, timing, nudges } = run;
  const held = await database.holdRedemption(command);
  if (held.kind === 'answered') {
    noteRefusal(run, held.outcome.result, held.outcome.requestId === command.requestId);
    return held.outcome;
  }
  if (!isHeldBy(command.operationId, held)) {
    run.ended ??= 'not-paid';
    throw raiseForeignHold(command.operationId);
  }
  const asked = askedFirst(held.provider);
  const hold: ShownRedemption = { ...held, owner: run.started?.owner, asked };
  showPaying(hold);
  const ending = await payUntilKnown(command.operationId, hold, {
    ...timing,
    takeNudge: nudges.take,
  });
  const answer = await bookUntilDone({
    alarmAfterMs: timing.alarmAfterMs,
    takeNudge: nudges.take,
    book: () => database.endRedemption(command.operationId, ending, hold.messageId),
    description: describeRedemption(hold),
    note: () => database.noteUnbookedPayment('redemption', command.operationId),
  });
  run.ended = ending.kind === 'done' ? 'redeemed' : 'not-paid';
  report(hold, ending);
  return answer;
}

/** Shows the outcome of a payment to support staff. */
function report(hold: ShownRedemption, ending: Ending): void {
  const references = ending.kind === 'done' ? [ending.providerReference] : [];
  upsertSearchAttributes([
    ...attributesOf(hold, ...references),
    { key: outcome, value: ending.kind === 'done' ? 'SUCCESS' : 'FAILED' },
  ]);
  if (ending.kind === 'done') showPaid(hold, ending.providerReference);
  else showNotPaid(hold, ending);
}
