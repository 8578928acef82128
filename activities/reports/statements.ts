import { readCompanyMonth } from '../../src/db/ledger/months/company-month.ts';
import {
  type DueStatement,
  dueStatements,
  hasDueStatements,
  postponeStatements,
  queueStatementEmails,
  settleStatements,
  statementRecipient,
} from '../../src/db/portal/statement-emails.ts';
import {
  isEmptyStatement,
  type Month,
  type MonthlyStatement,
} from '../../src/domain/statements/monthly-statement.ts';
import { statementMessages } from '../../src/domain/statements/statement-message.ts';
import type { EmailAttachment } from '../../src/providers/email/email-sender.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import { inBatches, type Swept, upTo } from '../reconciliation/sweep-batches.ts';
import { severalAtOnce } from '../several-at-once.ts';
import { readForEmails, sendQueuedEmail } from './queued-email.ts';

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
  const { database, statementFiles, publicUrl, failpoint, limits, resumption } = dependencies;
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
   * Sends statements that are due. One whose acceptance is unknown is not sent again, because its
   * statement is in the portal, too. A statement that cannot be made waits, and those of others are sent
   * all the same.
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
    const about = { about: 'statement', subject: { company, month } } as const;
    const made = await readForEmails(database, READ_TIMEOUT_MS, about, async (connection) => {
      const statement = await readCompanyMonth(connection, company, { month, zone });
      const isEmpty = isEmptyStatement(statement);
      return { statement, isEmpty, attachments: isEmpty ? [] : statementFiles(statement) };
    });
    if (!made) {
      await postponeStatements(database, accountIds, month, retrySeconds);
      counts.postponed += accountIds.length;
    } else if (made.isEmpty) {
      await settleStatements(database, accountIds, month, 'EMPTY');
    } else {
      for (const id of accountIds) {
        if (Date.now() > endsAt) return;
        const end = await sendTo(id, month, made);
        if (end !== 'ended') counts[end] += 1;
      }
    }
  }

  const sendTo = (id: number, month: Month, { statement, attachments }: MadeStatement) =>
    sendQueuedEmail(dependencies, {
      about: 'statement',
      subject: { accountId: id, month },
      async write() {
        const recipient = await statementRecipient(database, id, month);
        if (!recipient) return undefined;
        const text = statementMessages[recipient.language ?? 'en']({
          company: statement.company.name,
          month,
          zone,
          statementsUrl: `${publicUrl}/portal/statements`,
          accountUrl: `${publicUrl}/portal/account`,
        });
        return { id: `statement-${id}-${month}`, to: recipient.email, ...text, attachments };
      },
      settle: (end) => settleStatements(database, [id], month, end),
      postpone: () => postponeStatements(database, [id], month, retrySeconds),
    });

  return { sweepStatements, sendDueStatements };
}

interface MadeStatement {
  readonly statement: MonthlyStatement;
  readonly attachments: readonly EmailAttachment[];
}
