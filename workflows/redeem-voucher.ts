import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setHandler,
} from '@temporalio/workflow';
import type { OperationOutcome } from '../src/domain/refusals.ts';
import {
  type ClaimCommand,
  type ClaimMade,
  claimReleased,
  claimResult,
  providerNudge,
  type RedeemVoucherInput,
  redeem,
  superseded,
  voucherCancelled,
} from './contracts.ts';
import { awaitEndOfClaim, claimVoucher, sendCode } from './redemption/claim-code.ts';
import { codeDelivery, readCodeDelivery } from './redemption/code-delivery.ts';
import {
  createRedemptionRun,
  noteRefusal,
  type RedemptionRun,
  redeemOnce,
  showProgress,
} from './redemption/redeem-once.ts';
import { type RedeemVoucherResult, showEnd } from './redemption/redemption-details.ts';
import { answerCall } from './steps/answers.ts';

/**
 * A claim from its verification code to its redemption or expiry, or the redemption of an anonymous
 * voucher. The claim answers as soon as the SMS provider has accepted the code. A
 * payment continues to its end even if its caller has gone. A cancellation in the UI has no effect:
 * money on hold must come to its end.
 */
export function redeemVoucher(input: RedeemVoucherInput): Promise<RedeemVoucherResult> {
  return CancellationScope.nonCancellable(() => claimAndRedeem(createRedemptionRun(input)));
}

async function claimAndRedeem(run: RedemptionRun): Promise<RedeemVoucherResult> {
  const { begin, background } = run;
  setHandlers(run);
  if (begin.kind === 'redeem') {
    await redeemOnce(run, begin.redeem);
    run.ended ??= 'refused';
  } else await claimUntilOver(run, begin.claim);
  // A redemption may still arrive while the last message is being sent; all are awaited.
  do {
    await condition(allHandlersFinished);
    await Promise.all(background.splice(0));
  } while (background.length > 0 || !allHandlersFinished());
  const result = { ended: run.ended ?? 'expired' } as const;
  const { codeMessage: message, delivery, refusal } = run;
  showEnd(result.ended, run.started, { message, delivery, refusal });
  return result;
}

async function claimUntilOver(run: RedemptionRun, command: ClaimCommand): Promise<void> {
  const claim = await claimVoucher(run, command);
  if (claim.kind === 'answered') {
    run.claimOutcome = claim.outcome;
    run.ended ??= 'refused';
    noteRefusal(run, claim.outcome.result);
    return;
  }
  run.started = claim;
  run.wrongCodes = claim.wrongCodes;
  showProgress(run);
  await sendCode(run, claim, command);
  await awaitEndOfClaim(run, claim);
}

/** The messages from the API and other workflows to a run. */
function setHandlers(run: RedemptionRun): void {
  const { begin, nudges } = run;
  const claimed = condition(() => run.claimOutcome !== undefined).then(
    () => run.claimOutcome as OperationOutcome<ClaimMade>,
  );
  answerCall(claimResult, claimed, {
    description: 'For the API alone: the answer of the claim that started this workflow.',
    validator: () => {
      if (begin.kind !== 'claim') throw new Error('This workflow was not started by a claim');
    },
  });
  setHandler(
    redeem,
    (command) => CancellationScope.nonCancellable(() => redeemOnce(run, command)),
    {
      description: 'For the API alone: redeems the voucher with its verification code.',
      validator: ({ voucherId }) => {
        const { voucherId: own } = begin.kind === 'claim' ? begin.claim : begin.redeem;
        if (voucherId !== own) throw new Error('This is another voucher');
      },
    },
  );
  for (const [signal, end, cause] of endings)
    setHandler(
      signal,
      () => {
        run.ended ??= end;
      },
      { description: `Do not send it. The service does, ${cause}` },
    );
  setHandler(
    codeDelivery,
    (given) => {
      const delivery = readCodeDelivery(given);
      if (!delivery) return;
      run.delivery = delivery;
      if (run.ended === undefined) showProgress(run);
    },
    {
      description:
        'Do not send it. The service does, when the SMS provider reports whether the code arrived.',
    },
  );
  setHandler(providerNudge, nudges.give, {
    description:
      'Asks the provider at once how the payment ended, or tries at once to book it. Safe at any time. Needs no input.',
  });
}

/** The signals that end a claim. */
const endings = [
  [superseded, 'superseded', 'when a newer claim takes the place of this one.'],
  [
    voucherCancelled,
    'withdrawn',
    'when the voucher is cancelled. To cancel it: "Cancel the voucher" at /support.',
  ],
  [claimReleased, 'released', 'after a repair. To end the claim: "Cancel the claim" at /support.'],
] as const;
