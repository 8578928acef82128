import type { MessageOutcome } from '../../activities/messages/message-outcome.ts';
import type { ClaimStarted } from '../../activities/redemptions/claim-creation.ts';
import type { Refusal } from '../../src/domain/refusals.ts';
import * as activities from '../activity-options.ts';
import type {
  ClaimMade,
  OperationOutcome,
  RedeemVoucherInput,
  RedemptionMade,
} from '../contracts.ts';
import { createHints } from '../steps/hints.ts';
import { serializeActivities } from '../steps/serialized-activities.ts';
import type { CodeDelivery } from './code-delivery.ts';
import { type RedeemVoucherResult, showClaimed } from './redemption-details.ts';

/** The state of a run of `redeemVoucher`. */
export interface RedemptionRun extends RedeemVoucherInput {
  readonly database: typeof activities.database;
  readonly hints: ReturnType<typeof createHints>;
  /** The running redemptions, by the identity of their request. */
  readonly redemptions: Map<string, Promise<OperationOutcome<RedemptionMade>>>;
  /** Promises that the workflow awaits before it ends. */
  readonly background: Promise<unknown>[];
  claimOutcome?: OperationOutcome<ClaimMade>;
  started?: ClaimStarted;
  /** The outcome of the message with the code; absent while it is being sent. */
  codeMessage?: MessageOutcome;
  /** The newest report about that message, or about its repetition. */
  delivery?: CodeDelivery;
  wrongCodes?: number | undefined;
  /** Of the last attempted claim or redemption. */
  refusal?: Refusal;
  ended?: RedeemVoucherResult['ended'];
}

export const createRedemptionRun = (input: RedeemVoucherInput): RedemptionRun => ({
  ...input,
  database: serializeActivities(activities.singleSteps),
  hints: createHints(input.timing.maximumHints),
  redemptions: new Map(),
  background: [],
});

/** Records a refused claim or redemption for support staff; a wrong code counts once. */
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
