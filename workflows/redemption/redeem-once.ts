import { upsertSearchAttributes } from '@temporalio/workflow';
import type { OperationOutcome, RedeemCommand, RedemptionMade } from '../contracts.ts';
import { outcome } from '../search-attributes.ts';
import { bookRedemption } from '../steps/book-ending.ts';
import type { Ending } from '../steps/final-outcome.ts';
import { isHeldBy, raiseForeignHold } from '../steps/named-results.ts';
import { attributesOf, payUntilKnown } from './pay-until-known.ts';
import {
  type ShownRedemption,
  showNotPaid,
  shownRedemption,
  showPaid,
  showPaying,
} from './redemption-details.ts';
import { noteRefusal, type RedemptionRun } from './redemption-run.ts';

/** Redeems once: duplicates of a request, with or without a key, share one redemption. */
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
  const { database, timing, hints } = run;
  const held = await database.holdRedemption(command);
  if (held.kind === 'answered') {
    noteRefusal(run, held.outcome.result, held.outcome.requestId === command.requestId);
    return held.outcome;
  }
  if (!isHeldBy(command.operationId, held)) {
    run.ended ??= 'not-paid';
    throw raiseForeignHold(command.operationId);
  }
  const hold = shownRedemption(held, run.started?.owner);
  showPaying(hold);
  const ending = await payUntilKnown(command.operationId, hold, {
    ...timing,
    takeHint: hints.take,
  });
  const bookkeeping = { database, alarmAfterMs: timing.alarmAfterMs, takeHint: hints.take };
  const answer = await bookRedemption(bookkeeping, command.operationId, { hold, ending });
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
