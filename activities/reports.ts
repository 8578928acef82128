import { log } from '@temporalio/activity';
import type { Database } from '../src/db/connection.ts';
import { readCompanyMonth } from '../src/db/ledger/monthly-statements.ts';
import { readDayReport } from '../src/db/reports/day-report.ts';
import {
  type DueReport,
  type DueStatement,
  dueReports,
  dueStatements,
  hasDueStatements,
  hasUnsentReports,
  postponeReports,
  postponeStatements,
  queueReportEmails,
  queueStatementEmails,
  reportAddress,
  settleReport,
  settleStatements,
  statementRecipient,
} from '../src/db/reports/emails.ts';
import { type Day, type DayReport, isInOrder } from '../src/domain/day-report.ts';
import { formatGroupedAmount, parseMoney } from '../src/domain/money.ts';
import {
  isEmptyStatement,
  type Month,
  type MonthlyStatement,
  statementMessages,
} from '../src/domain/statements.ts';
import type { Email, EmailAttachment } from '../src/providers/email.ts';
import type { ProviderOutcome } from '../src/providers/outcome.ts';
import type { FailpointName } from '../src/runtime/process/failpoint.ts';
import { runUnhurried } from './database-step.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { inBatches, type Swept, upTo } from './expiry.ts';
import { withHeartbeat } from './provider-call.ts';
import { severalAtOnce } from './several-at-once.ts';

/** What an e-mail is about: fields of log lines. */
type Subject = Readonly<Record<string, unknown>>;

/** The names of what is sent, for log lines. */
const names = { statement: 'statement', report: 'day report' } as const;

/** An e-mail of a queue, for one recipient. */
interface QueuedEmail {
  readonly about: keyof typeof names;
  readonly subject: Subject;
  /** Undefined where the recipient gets it no more, or where it was dealt with. */
  readonly write: () => Promise<Email | undefined>;
  readonly settle: (end: 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED') => Promise<void>;
  /** It is due again later, or given up. */
  readonly postpone: () => Promise<void>;
}

/**
 * Sends an e-mail and records how that ended. One that was interrupted is sent again under the same
 * Message-ID; one whose acceptance is unknown is not.
 */
async function sendQueuedEmail(
  { emailSender, failpoint }: Pick<ActivityDependencies, 'emailSender' | 'failpoint'>,
  { about, subject, write, settle, postpone }: QueuedEmail,
): Promise<'sent' | 'postponed' | 'ended'> {
  const email = await write();
  if (!email) {
    await settle('CANCELLED');
    return 'ended';
  }
  await failpoint(`${about}-sending` satisfies FailpointName);
  const outcome = await emailSender.send(email);
  await failpoint(`${about}-sent` satisfies FailpointName);
  if (outcome.kind !== 'delivered')
    log.warn(`A ${names[about]} was not sent`, {
      ...subject,
      outcome: outcome.kind,
      reason: outcome.message,
    });
  const end = emailEnd(outcome);
  if (end) await settle(end);
  else await postpone();
  if (outcome.kind === 'delivered') return 'sent';
  return end ? 'ended' : 'postponed';
}

/** By the outcome of an e-mail: whether it ends it, and how; undefined where it can be sent later. */
function emailEnd({ kind }: ProviderOutcome): 'SENT' | 'REFUSED' | 'UNKNOWN' | undefined {
  if (kind === 'delivered') return 'SENT';
  if (kind === 'refused') return 'REFUSED';
  return kind === 'unknown' ? 'UNKNOWN' : undefined;
}

/**
 * Reads what e-mails are about within a time limit. Undefined where that fails: its e-mails are
 * postponed, and all others are sent all the same.
 */
const readForEmails = <Content>(
  database: Database,
  timeoutMs: number,
  { about, subject }: Pick<QueuedEmail, 'about' | 'subject'>,
  read: (connection: Database) => Promise<Content>,
): Promise<Content | undefined> =>
  runUnhurried(database, timeoutMs, read).catch((error: unknown) => {
    log.error(`Could not make a ${names[about]}`, { ...subject, reason: reasonOf(error) });
    return undefined;
  });

/** The name of an error, and PostgreSQL's code: its texts can contain values of rows. */
function reasonOf(error: unknown): string {
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  return [name, code].filter(Boolean).join(' ');
}

/** Limit of one statement of a report, below that of the activity. */
const READ_REPORT_TIMEOUT_MS = 120_000;

/** What one round of e-mails did. */
export interface ReportRound {
  readonly sent: number;
  /** Whether there are e-mails that wait for their next try, and how long. */
  readonly isDone: boolean;
  readonly retrySeconds: number;
}

export function createDayReportActivities(dependencies: ActivityDependencies) {
  const { database, readDatabase = database, dayReportFiles, failpoint } = dependencies;
  const { marketTimeZone: zone } = dependencies.settings.market;
  const { statementRetrySeconds: retrySeconds } = dependencies.settings.portal;

  /**
   * Queues the reports of closed days, and sends what is due, made on the replica where there is one.
   * The command makes a report that is not sent again at any time. A report that cannot be made waits,
   * and those of other days are sent all the same.
   */
  const sendDayReports = (): Promise<ReportRound> => withHeartbeat(sendRound);

  async function sendRound(): Promise<ReportRound> {
    await queueReportEmails(database, zone);
    await failpoint('report-queued');
    let sent = 0;
    for (const due of await dueReports(database)) sent += await sendToAll(due);
    return { sent, isDone: !(await hasUnsentReports(database)), retrySeconds };
  }

  async function sendToAll({ day, recipientIds }: DueReport): Promise<number> {
    const about = { about: 'report', subject: { day } } as const;
    const made = await readForEmails(
      readDatabase,
      READ_REPORT_TIMEOUT_MS,
      about,
      async (connection) => {
        const report = await readDayReport(connection, { day, zone });
        return { report, attachments: dayReportFiles(report) };
      },
    );
    if (!made) {
      await postponeReports(database, recipientIds, day, retrySeconds);
      return 0;
    }
    if (!isInOrder(made.report)) log.error('The report of a day shows faults', { day });
    let sent = 0;
    for (const id of recipientIds) if ((await sendTo(id, day, made)) === 'sent') sent += 1;
    return sent;
  }

  const sendTo = (id: number, day: Day, { report, attachments }: MadeReport) =>
    sendQueuedEmail(dependencies, {
      about: 'report',
      subject: { recipientId: id, day },
      async write() {
        const to = await reportAddress(database, id, day);
        return to === undefined
          ? undefined
          : { id: `day-report-${id}-${day}`, to, ...message(report), attachments };
      },
      settle: (end) => settleReport(database, id, day, end),
      postpone: () => postponeReports(database, [id], day, retrySeconds),
    });

  return { sendDayReports };
}

interface MadeReport {
  readonly report: DayReport;
  readonly attachments: readonly EmailAttachment[];
}

function message(report: DayReport) {
  const { day, zone, sales, redemptions, fees, caseCount } = report;
  const etb = (sum: { readonly amount: string }) =>
    `ETB ${formatGroupedAmount(parseMoney(sum.amount))}`;
  const state = isInOrder(report) ? 'in order' : 'NOT IN ORDER';
  return {
    subject: `Day report of ${day}: books ${state}, open cases: ${caseCount}`,
    text: `The report of ${day} (${zone}) is attached: as a page, and as a file for spreadsheets. Amounts are in ETB.

Vouchers generated: ${sales.vouchers.count}, ${etb(sales.vouchers)}
Top-ups delivered:  ${sales.topups.count}, ${etb(sales.topups)}
Redemptions:        ${redemptions.count}, ${etb(redemptions)}, of which fees ${etb(fees)}
Books:              ${state}
Open cases:         ${caseCount}

The same for any day: npm run admin -- report --day ${day}
You get this e-mail because an operator registered your address:
npm run admin -- remove report-recipient
`,
  };
}

/** People per transaction. */
const QUEUE_BATCH_SIZE = 500;
/** People whose statements are read at a time. */
const SEND_BATCH_SIZE = 50;
/** Companies at once: a statement reads all transfers of its month. */
const CONCURRENCY = 2;
/** Limit of reading one statement, below that of the activity. */
const READ_STATEMENT_TIMEOUT_MS = 60_000;
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
  const { database, statementFiles, failpoint, settings, resumption } = dependencies;
  const { publicUrl } = settings.http;
  const { marketTimeZone: zone } = settings.market;
  const { statementRetrySeconds: retrySeconds } = settings.portal;

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
    const made = await readForEmails(
      database,
      READ_STATEMENT_TIMEOUT_MS,
      about,
      async (connection) => {
        const statement = await readCompanyMonth(connection, company, { month, zone });
        const isEmpty = isEmptyStatement(statement);
        return { statement, isEmpty, attachments: isEmpty ? [] : statementFiles(statement) };
      },
    );
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
