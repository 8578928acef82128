import { CancellationScope, sleep } from '@temporalio/workflow';
import { dayReports, statements } from './activity-options.ts';
import { showDetails } from './current-details.ts';

/** The e-mails with the reports of a day, for the Temporal UI. */
interface SendDayReportsResult {
  readonly sent: number;
}

/**
 * Sends the reports of closed days to the registered addresses; a Schedule starts it. It goes on while
 * some cannot be made, or the mail server does not take them: PostgreSQL holds them, and gives them up
 * after days. A cancellation in the UI has no effect.
 *
 * @throws where a round fails several times; the next run sends what is left
 */
export function sendDayReports(): Promise<SendDayReportsResult> {
  return CancellationScope.nonCancellable(async () => {
    for (let sent = 0; ; ) {
      const round = await dayReports.sendDayReports();
      sent += round.sent;
      showDetails(
        `**Reports sent**: ${sent}.`,
        ...(round.isDone
          ? []
          : [
              'The others are tried again: the mail server did not take them, or the log of the worker ' +
                'says why a report could not be made.',
            ]),
      );
      if (round.isDone) return { sent };
      await sleep(round.retrySeconds * 1_000, { summary: 'Pause before the next try' });
    }
  });
}

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
