import {
  allHandlersFinished,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  patched,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ClaimStarted } from '../activities/claims.js';
import type { MessageOutcome } from '../activities/message-outcome.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import * as activities from './activity-options.js';
import { bookRedemption } from './book-ending.js';
import { createHints } from './hints.js';
import { inTurn } from './in-turn.js';
import {
  type ClaimCommand,
  type ClaimMade,
  claimResult,
  type OperationOutcome,
  providerHint,
  type RedeemCommand,
  type RedeemVoucherInput,
  type RedemptionMade,
  redeem,
  superseded,
} from './messages.js';
import { isHeldBy, raiseForeignHold } from './named-results.js';
import { isFromBefore, payMerchant } from './pay-merchant.js';
import {
  type RedeemVoucherResult,
  showClaimed,
  showEnd,
  showNotPaid,
  showPaid,
} from './redemption-details.js';
import { outcome, reference, voucherSerial } from './search-attributes.js';
import { sendUntilSettled } from './send-message.js';
import { redeemVoucherByClaimId } from './workflow-ids.js';

/**
 * A claim from its verification code to its redemption or expiry, or the redemption of an anonymous
 * voucher (design 7). The claim answers as soon as the SMS provider has accepted the code; a payment
 * goes on to its end when its caller has gone. A cancellation in the UI changes nothing: money on hold
 * must come to its end.
 */
export function redeemVoucher(input: RedeemVoucherInput): Promise<RedeemVoucherResult> {
  return CancellationScope.nonCancellable(() => claimAndRedeem(input));
}

async function claimAndRedeem({ begin, timing }: RedeemVoucherInput): Promise<RedeemVoucherResult> {
  const database = inTurn(activities.database);
  const redemptions = new Map<string, Promise<OperationOutcome<RedemptionMade>>>();
  const background: Promise<unknown>[] = [];
  let claimOutcome: OperationOutcome<ClaimMade> | undefined;
  let ended: RedeemVoucherResult['ended'] | undefined;
  let started: ClaimStarted | undefined;
  let codeMessage: MessageOutcome | undefined;
  let wrongCodes: number | undefined;
  let refusal: Refusal | undefined;
  let redemptionsRunning = 0;
  const hints = createHints();

  setHandler(
    claimResult,
    async () => {
      await condition(() => claimOutcome !== undefined);
      return claimOutcome as OperationOutcome<ClaimMade>;
    },
    {
      description: 'The answer of the claim that started this workflow',
      validator: () => {
        if (begin.kind !== 'claim') throw new Error('This workflow was not started by a claim');
      },
    },
  );
  setHandler(redeem, (command) => CancellationScope.nonCancellable(() => redeemOnce(command)), {
    description: 'Redeems the voucher with its verification code; sent by the API',
    validator: ({ voucherId }) => {
      const { voucherId: own } = begin.kind === 'claim' ? begin.claim : begin.redeem;
      if (voucherId !== own) throw new Error('This is another voucher');
    },
  });
  setHandler(
    superseded,
    () => {
      ended ??= 'superseded';
    },
    { description: 'A newer claim of this voucher has taken the place of this one' },
  );

  setHandler(providerHint, hints.give, {
    description: 'Asks the provider now, or tries to book again now. Needs no input.',
  });

  if (begin.kind === 'redeem') {
    await redeemOnce(begin.redeem);
    ended ??= 'refused';
  } else {
    const claim = await database.createClaim(begin.claim, {
      claimLifetimeMs: timing.claimLifetimeMs,
      workflowId: workflowInfo().workflowId,
    });
    if (claim.kind === 'answered') {
      claimOutcome = claim.outcome;
      ended = 'refused';
      noteRefusal(claim.outcome.result);
    } else {
      started = claim;
      wrongCodes = claim.wrongCodes;
      upsertSearchAttributes([{ key: voucherSerial, value: claim.serialNumber }]);
      showProgress();
      await sendCode(claim, begin.claim);
      await claimIsOver(claim.claimId);
    }
  }
  // A redemption may still come while the last message is being sent; none is left behind.
  do {
    await condition(allHandlersFinished);
    await Promise.all(background.splice(0));
  } while (background.length > 0 || !allHandlersFinished());
  const result = { ended: ended ?? 'expired' } as const;
  showEnd(result.ended, started, refusal);
  return result;

  /** Duplicates of a request, with its key or without, share one redemption while it runs. */
  function redeemOnce(command: RedeemCommand): Promise<OperationOutcome<RedemptionMade>> {
    const sameRequest = command.hasKey ? command.operationId : 'no key';
    const id = `${sameRequest} ${command.company.kind} ${command.company.id} ${command.requestDigest}`;
    const running = redemptions.get(id);
    if (running !== undefined) return running;
    redemptionsRunning += 1;
    const redemption = redeemVoucherOnce(command).finally(() => {
      redemptionsRunning -= 1;
      redemptions.delete(id);
    });
    redemptions.set(id, redemption);
    return redemption;
  }

  async function redeemVoucherOnce(
    command: RedeemCommand,
  ): Promise<OperationOutcome<RedemptionMade>> {
    const hold = await database.holdRedemption(command);
    if (hold.kind === 'answered') {
      noteRefusal(hold.outcome.result, hold.outcome.requestId === command.requestId);
      return hold.outcome;
    }
    if (!isHeldBy(command.operationId, timing.resultsAreNamed, hold)) {
      ended ??= 'not-paid';
      throw raiseForeignHold(command.operationId);
    }
    const references = [hold.platformReference, hold.paymentReference];
    upsertSearchAttributes([
      { key: voucherSerial, value: hold.serialNumber },
      { key: reference, value: references },
    ]);
    const ending = await payMerchant(command.operationId, hold, {
      ...timing,
      takeHint: hints.take,
    });
    const paid = ending.kind === 'done';
    const bookkeeping = { database, alarmAfterMs: timing.alarmAfterMs, takeHint: hints.take };
    const answer = await bookRedemption(bookkeeping, command.operationId, { hold, ending });
    ended = paid ? 'redeemed' : 'not-paid';
    if (ending.kind === 'done') references.push(ending.providerReference);
    if (!isFromBefore(hold))
      upsertSearchAttributes([
        { key: outcome, value: paid ? 'SUCCESS' : 'FAILED' },
        { key: reference, value: references },
      ]);
    if (ending.kind === 'done') showPaid(hold, ending.providerReference);
    else showNotPaid(hold, ending.message);
    if (paid && hold.messageId !== null) background.push(confirm(hold.messageId));
    return answer;
  }

  /** Of a refused claim or redemption, for support staff; a wrong code counts once. */
  function noteRefusal(result: { readonly ok: true } | Refusal, isNew = true): void {
    if (result.ok) return;
    refusal = result;
    if (isNew && result.reason === 'verification-code-incorrect')
      wrongCodes = (wrongCodes ?? 0) + 1;
    if (ended === undefined) showProgress();
  }

  function showProgress(): void {
    if (started) showClaimed(started, { message: codeMessage?.kind, wrongCodes, refusal });
  }

  /** A confirmation that could not be sent is left out, so that nothing waits for it for ever. */
  async function confirm(messageId: number): Promise<void> {
    const message = await sendUntilSettled(messageId, 'Confirm the redemption by SMS');
    if (message.kind === 'not-sent' && patched('give-up-confirmation'))
      await database.giveUpConfirmation(messageId);
  }

  /** The answer waits for the provider's word on the code, but not for ever. */
  async function sendCode(claim: ClaimStarted, command: ClaimCommand): Promise<void> {
    if (claim.supersededOperationId !== null)
      background.push(
        tellSuperseded(
          claim.supersededWorkflowId ?? redeemVoucherByClaimId(claim.supersededOperationId),
        ),
      );
    const sending = sendUntilSettled(claim.messageId, 'Send the code by SMS').then((sent) => {
      codeMessage = sent;
      if (ended === undefined) showProgress();
    });
    const answeredInTime = await condition(() => codeMessage !== undefined, timing.messageWaitMs, {
      summary: 'How long the answer waits for the SMS provider',
    });
    if (answeredInTime) {
      claimOutcome = await settleClaim(command, claim.claimId, codeMessage);
      return;
    }
    // Nobody knows: the claim stands, and a refusal that comes later ends it.
    claimOutcome = await database.confirmClaim(command);
    background.push(sending.then(() => settleClaim(command, claim.claimId, codeMessage)));
  }

  function settleClaim(
    command: ClaimCommand,
    claimId: string,
    message: MessageOutcome | undefined,
  ): Promise<OperationOutcome<ClaimMade>> {
    if (message?.kind !== 'refused' && message?.kind !== 'not-sent')
      return database.confirmClaim(command);
    ended ??= 'cancelled';
    refusal = refuse('message-not-queued', { detail: message.message });
    return database.cancelClaim(command, claimId, message.message);
  }

  async function claimIsOver(claimId: string): Promise<void> {
    let remainingMs: number = timing.claimLifetimeMs;
    const isOver = () => ended !== undefined;
    while (!(await condition(isOver, remainingMs, { summary: 'Until the claim expires' }))) {
      await condition(() => redemptionsRunning === 0);
      if (isOver()) return;
      ({ remainingMs } = await database.expireClaim(claimId));
      if (remainingMs === 0) ended ??= 'expired';
    }
  }
}

async function tellSuperseded(workflowId: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(superseded);
  } catch {
    // It has ended by itself: there is nobody left to tell.
  }
}
