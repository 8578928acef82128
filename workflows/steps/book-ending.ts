import type { RedemptionHeld } from '../../activities/redemptions/facts.ts';
import type { TopUpHeld } from '../../activities/topups/topup-holds.ts';
import type { OperationOutcome } from '../../src/domain/refusals.ts';
import type { database as steps } from '../activity-options.ts';
import type { RedemptionMade, TopUpMade } from '../contracts.ts';
import { describeRedemption } from '../redemption/redemption-details.ts';
import { bookUntilDone } from './database-steps.ts';
import type { Ending } from './final-outcome.ts';

interface Bookkeeping {
  readonly database: typeof steps;
  readonly alarmAfterMs: number;
  readonly takeNudge: () => boolean;
}

/** Books the outcome of a redemption's payment. The confirmation leaves with the booking. */
export const bookRedemption = (
  { database, ...patience }: Bookkeeping,
  operationId: string,
  { hold, ending }: { readonly hold: RedemptionHeld; readonly ending: Ending },
): Promise<OperationOutcome<RedemptionMade>> =>
  bookUntilDone({
    ...patience,
    book: () =>
      ending.kind === 'done'
        ? database.postRedemption(
            operationId,
            {
              providerReference: ending.providerReference,
              isReversed: ending.reversal !== undefined,
              by: ending.by,
            },
            hold.messageId,
          )
        : database.voidRedemption(operationId, ending.message, ending.by),
    description: describeRedemption(hold),
    note: () => database.noteUnbookedPayment('redemption', operationId),
  });

/** Books the outcome of a top-up's attempt. */
export const bookTopUp = (
  { database, ...patience }: Bookkeeping,
  operationId: string,
  { hold, ending }: { readonly hold: TopUpHeld; readonly ending: Ending },
): Promise<OperationOutcome<TopUpMade>> =>
  bookUntilDone({
    ...patience,
    book: () =>
      ending.kind === 'done'
        ? database.postTopUp(operationId, {
            providerReference: ending.providerReference,
            message: ending.reversal ?? 'Delivered',
            isReversed: ending.reversal !== undefined,
            by: ending.by,
          })
        : database.voidTopUp(operationId, ending.message, ending.by),
    description: `${hold.product}, ETB ${hold.amount} to ${hold.msisdn}, our reference ${hold.reference}.`,
    note: () => database.noteUnbookedPayment('topup', operationId),
  });
