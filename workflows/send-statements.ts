import { CancellationScope } from '@temporalio/workflow';
import { statements } from './activity-options.ts';
import { showDetails } from './current-details.ts';

/** Limit of rounds, so that a history stays short; the next sweep starts the workflow for the rest. */
const MAXIMUM_ROUNDS = 100;

/** The e-mails with statements, for the Temporal UI. */
export interface SendStatementsResult {
  readonly sent: number;
  /** E-mails that the mail server did not take; they are due again later. */
  readonly postponed: number;
}

/**
 * Sends the monthly statements that are due, round by round. PostgreSQL holds them; the sweep starts
 * the workflow where there are any. A cancellation in the UI has no effect.
 *
 * @throws where a round fails several times; the next sweep starts the workflow again
 */
export function sendStatements(): Promise<SendStatementsResult> {
  return CancellationScope.nonCancellable(async () => {
    let [sent, postponed] = [0, 0];
    for (let rounds = 0; rounds < MAXIMUM_ROUNDS; rounds += 1) {
      const round = await statements.sendDueStatements();
      sent += round.sent;
      postponed += round.postponed;
      showDetails(
        `**Statements sent**: ${sent}.`,
        ...(postponed === 0 ? [] : [`Not sent, and tried again later: ${postponed}.`]),
      );
      if (round.isDone) break;
    }
    return { sent, postponed };
  });
}
