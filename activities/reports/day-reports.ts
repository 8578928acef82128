import { log } from '@temporalio/activity';
import { readDayReport } from '../../src/db/reports/day-report.ts';
import {
  type DueReport,
  dueReports,
  hasUnsentReports,
  postponeReports,
  queueReportEmails,
  reportAddress,
  settleReport,
} from '../../src/db/reports/report-emails.ts';
import { formatGroupedAmount, parseMoney } from '../../src/domain/money.ts';
import { type Day, type DayReport, isInOrder } from '../../src/domain/reports/day-report.ts';
import type { EmailAttachment } from '../../src/providers/email/email-sender.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import { readForEmails, sendQueuedEmail } from './queued-email.ts';

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
  const { database, readDatabase = database, dayReportFiles, failpoint } = dependencies;
  const { zone, retrySeconds } = dependencies.limits.statements;

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
    const made = await readForEmails(readDatabase, READ_TIMEOUT_MS, about, async (connection) => {
      const report = await readDayReport(connection, { day, zone });
      return { report, attachments: dayReportFiles(report) };
    });
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
