import { log } from '@temporalio/activity';
import { readCompanyMonth } from '../../src/db/ledger/company-month.js';
import {
  type DueStatement,
  dueStatements,
  hasDueStatements,
  postponeStatements,
  queueStatementEmails,
  settleStatements,
  statementRecipient,
} from '../../src/db/portal/statement-emails.js';
import {
  isEmptyStatement,
  type Month,
  type MonthlyStatement,
} from '../../src/domain/statements/monthly-statement.js';
import { statementMessages } from '../../src/domain/statements/statement-message.js';
import type { EmailAttachment } from '../../src/providers/email/email-sender.js';
import { runUnhurried } from '../database-step.js';
import type { ActivityDependencies } from '../dependencies.js';
import { withHeartbeat } from '../provider-call.js';
import { inBatches, type Swept, upTo } from '../reconciliation/sweep-batches.js';
import { severalAtOnce } from '../several-at-once.js';
import { emailEnd } from './email-end.js';

/** People per transaction. */
const QUEUE_BATCH_SIZE = 500;
/** People whose statements are read at a time. */
const SEND_BATCH_SIZE = 50;
/** Companies at once: a statement reads all transfers of its month. */
const CONCURRENCY = 2;
/** Limit of reading one statement, below that of the activity. */
const READ_TIMEOUT_MS = 60_000;
/** No e-mail begins later: the workflow calls again, and its history shows the progress. */
const ROUND_MS = 10_000;

/** What one round of e-mails did. */
export interface StatementRound {
  readonly sent: number;
  /** E-mails that the mail server did not take. */
  readonly postponed: number;
  /** False where the time limit ended the round early. */
  readonly isDone: boolean;
}

type RoundCounts = { sent: number; postponed: number };

export function createStatementActivities(dependencies: ActivityDependencies) {
  const { database, emailSender, statementFiles, publicUrl, failpoint, limits, resumption } =
    dependencies;
  const { zone, retrySeconds } = limits.statements;

  /** Queues the statements of months that have closed, and starts their sending where any is due. */
  async function sweepStatements(): Promise<Swept> {
    const swept = await inBatches(
      upTo(QUEUE_BATCH_SIZE, () => queueStatementEmails(database, zone, QUEUE_BATCH_SIZE)),
    );
    await failpoint('statement-queued');
    if (await hasDueStatements(database)) await resumption.startStatements();
    return swept;
  }

  /**
   * Sends statements that are due. An e-mail that was interrupted is sent again under the same
   * Message-ID; one whose acceptance is unknown is not, because its statement is in the portal, too.
   */
  const sendDueStatements = (): Promise<StatementRound> => withHeartbeat(sendRound);

  async function sendRound(): Promise<StatementRound> {
    const counts: RoundCounts = { sent: 0, postponed: 0 };
    const endsAt = Date.now() + ROUND_MS;
    while (Date.now() < endsAt) {
      const due = await dueStatements(database, SEND_BATCH_SIZE);
      if (due.length === 0) return { ...counts, isDone: true };
      await severalAtOnce(due, CONCURRENCY, (statement) => sendToAll(statement, counts, endsAt));
    }
    return { ...counts, isDone: false };
  }

  async function sendToAll(due: DueStatement, counts: RoundCounts, endsAt: number): Promise<void> {
    const { company, month, accountIds } = due;
    if (Date.now() > endsAt) return;
    const statement = await runUnhurried(database, READ_TIMEOUT_MS, (connection) =>
      readCompanyMonth(connection, company, { month, zone }),
    ).catch(
      // The statements of others are sent all the same.
      (error: unknown) =>
        log.error('Could not read a statement', { company, month, reason: reasonOf(error) }),
    );
    if (!statement) {
      await postponeStatements(database, accountIds, month, retrySeconds);
      counts.postponed += accountIds.length;
    } else if (isEmptyStatement(statement)) {
      await settleStatements(database, accountIds, month, 'EMPTY');
    } else {
      const attachments = statementFiles(statement);
      for (const id of accountIds)
        if (Date.now() < endsAt) await sendTo({ id, month, statement, attachments }, counts);
    }
  }

  async function sendTo(email: OutgoingStatement, counts: RoundCounts): Promise<void> {
    const { id, month, statement, attachments } = email;
    const recipient = await statementRecipient(database, id, month);
    if (!recipient) return settleStatements(database, [id], month, 'CANCELLED');
    await failpoint('statement-sending');
    const outcome = await emailSender.send({
      id: `statement-${id}-${month}`,
      to: recipient.email,
      ...statementMessages[recipient.language ?? 'en']({
        company: statement.company.name,
        month,
        zone,
        statementsUrl: `${publicUrl}/portal/statements`,
        accountUrl: `${publicUrl}/portal/account`,
      }),
      attachments,
    });
    await failpoint('statement-sent');
    if (outcome.kind === 'delivered') counts.sent += 1;
    else log.warn('A statement was not sent', { accountId: id, month, outcome: outcome.kind });
    const end = emailEnd(outcome);
    if (end) return settleStatements(database, [id], month, end);
    counts.postponed += 1;
    await postponeStatements(database, [id], month, retrySeconds);
  }

  return { sweepStatements, sendDueStatements };
}

/** A statement for one person. */
interface OutgoingStatement {
  /** The account. */
  readonly id: number;
  readonly month: Month;
  readonly statement: MonthlyStatement;
  readonly attachments: readonly EmailAttachment[];
}

/** The name of an error, and PostgreSQL's code: its texts can contain values of rows. */
const reasonOf = (error: unknown): string => {
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  return [name, code].filter(Boolean).join(' ');
};
