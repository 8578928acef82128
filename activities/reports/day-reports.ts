import { log } from '@temporalio/activity';
import { readDayReport } from '../../src/db/reports/day-report.js';
import {
  type DueReport,
  dueReports,
  hasUnsentReports,
  postponeReport,
  queueReportEmails,
  reportAddress,
  settleReport,
} from '../../src/db/reports/report-emails.js';
import { formatGroupedAmount, parseMoney } from '../../src/domain/money.js';
import { type Day, type DayReport, isInOrder } from '../../src/domain/reports/day-report.js';
import type { EmailAttachment } from '../../src/providers/email/email-sender.js';
import { runUnhurried } from '../database-step.js';
import type { ActivityDependencies } from '../dependencies.js';
import { withHeartbeat } from '../provider-call.js';
import { emailEnd } from './email-end.js';

/** Limit of one statement of a report, below that of the activity. */
const READ_TIMEOUT_MS = 120_000;

/** What one round of e-mails did. */
export interface ReportRound {
  readonly sent: number;
  /** Whether there are e-mails that wait for their next try, and how long. */
  readonly isDone: boolean;
  readonly retrySeconds: number;
}

export function createDayReportActivities(dependencies: ActivityDependencies) {
  const {
    database,
    readDatabase = database,
    emailSender,
    dayReportFiles,
    failpoint,
  } = dependencies;
  const { zone, retrySeconds } = dependencies.limits.statements;

  /**
   * Queues the reports of closed days, and sends what is due, made on the replica where there is one.
   * An e-mail that was interrupted is sent again under the same Message-ID; one whose acceptance is
   * unknown is not, because the command makes its report at any time.
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
    const report = await runUnhurried(readDatabase, READ_TIMEOUT_MS, (connection) =>
      readDayReport(connection, { day, zone }),
    );
    if (!isInOrder(report)) log.error('The report of a day shows faults', { day });
    const attachments = dayReportFiles(report);
    let sent = 0;
    for (const id of recipientIds) if (await sendTo({ id, day, report, attachments })) sent += 1;
    return sent;
  }

  /** Whether the mail server took it. */
  async function sendTo({ id, day, report, attachments }: OutgoingReport): Promise<boolean> {
    const to = await reportAddress(database, id, day);
    if (to === undefined) {
      await settleReport(database, id, day, 'CANCELLED');
      return false;
    }
    await failpoint('report-sending');
    const outcome = await emailSender.send({
      id: `day-report-${id}-${day}`,
      to,
      ...message(report),
      attachments,
    });
    await failpoint('report-sent');
    if (outcome.kind !== 'delivered')
      log.warn('A day report was not sent', { recipientId: id, day, outcome: outcome.kind });
    const end = emailEnd(outcome);
    if (end) await settleReport(database, id, day, end);
    else await postponeReport(database, id, day, retrySeconds);
    return outcome.kind === 'delivered';
  }

  return { sendDayReports };
}

/** A report for one recipient. */
interface OutgoingReport {
  readonly id: number;
  readonly day: Day;
  readonly report: DayReport;
  readonly attachments: readonly EmailAttachment[];
}

function message(report: DayReport) {
  const { day, zone, sales, redemptions, fees, breakCount } = report;
  const etb = (sum: { readonly amount: string }) =>
    `ETB ${formatGroupedAmount(parseMoney(sum.amount))}`;
  const state = isInOrder(report) ? 'in order' : 'NOT IN ORDER';
  return {
    subject: `Day report of ${day}: books ${state}, open cases: ${breakCount}`,
    text: `The report of ${day} (${zone}) is attached: as a page, and as a file for spreadsheets. Amounts are in ETB.

Vouchers generated: ${sales.vouchers.count}, ${etb(sales.vouchers)}
Top-ups delivered:  ${sales.topups.count}, ${etb(sales.topups)}
Redemptions:        ${redemptions.count}, ${etb(redemptions)}, of which fees ${etb(fees)}
Books:              ${state}
Open cases:         ${breakCount}

The same for any day: npm run admin -- report --day ${day}
You get this e-mail because an operator registered your address:
npm run admin -- remove report-recipient
`,
  };
}
