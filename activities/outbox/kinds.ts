import type { Logger } from 'pino';
import type { Config } from '../../src/config/config.ts';
import { randomInvitationToken } from '../../src/crypto/random.ts';
import { type AccessNotice, readAccessNotice } from '../../src/db/access/access-notices.ts';
import { type DatabaseTransaction, inSnapshot, withSettings } from '../../src/db/connection.ts';
import { readCompanyMonth } from '../../src/db/ledger/monthly-statements.ts';
import type { OutboxChannel, OutboxKind } from '../../src/db/outbox.ts';
import {
  beginInvitation,
  concludeInvitation,
  readInvitationFacts,
} from '../../src/db/people/invitations.ts';
import { readDayReport } from '../../src/db/reports/day-report.ts';
import { reportAddress, statementRecipient } from '../../src/db/reports/emails.ts';
import { readSwitchedOff } from '../../src/db/webhooks/endpoints.ts';
import { accessChangeOf, actorName, changedSubject } from '../../src/domain/access.ts';
import { type Day, type DayReport, isInOrder } from '../../src/domain/day-report.ts';
import { webhookHost } from '../../src/domain/events.ts';
import { formatGroupedAmount, parseMoney } from '../../src/domain/money.ts';
import type { Route } from '../../src/domain/providers.ts';
import { isEmptyStatement, type Month, statementMessages } from '../../src/domain/statements.ts';
import type { CompanyKind } from '../../src/domain/vouchers/voucher.ts';
import type { Email } from '../../src/providers/email.ts';
import type { SmsMessage } from '../../src/providers/sms/sms-sender.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export type OutboxDependencies = Pick<
  ActivityDependencies,
  | 'database'
  | 'readDatabase'
  | 'digests'
  | 'secretBox'
  | 'smsSenders'
  | 'emailSender'
  | 'statementFiles'
  | 'dayReportFiles'
  | 'failpoint'
> & {
  readonly settings: Pick<Config, 'http' | 'market' | 'portal' | 'providerGuard'>;
};

/** An e-mail or a text message. */
export type Letter = (Omit<Email, 'id'> | (SmsMessage & { readonly routes: readonly Route[] })) & {
  /** A part of the text that is never stored, such as a token. */
  readonly secret?: string;
};

/** The common part of messages of a kind. */
export interface MessageKind {
  readonly channels: readonly OutboxChannel[];
  /** Time from its first attempt after which a message is given up; null: never. */
  readonly patienceSeconds: number | null;
  /**
   * Whether an e-mail that the mail server may have accepted is sent again, under the same
   * Message-ID. An e-mail whose sending was interrupted always is; a text message never is.
   */
  readonly unknown: 'once' | 'idempotent';
  /**
   * Reads what the messages about a subject say. Returns how to write them, or why they have become
   * pointless. `write` returns undefined where the recipient does not get it any more.
   */
  readonly read: (
    subject: string,
    channel: OutboxChannel,
  ) => Promise<((recipient: number) => Promise<Letter | undefined>) | string>;
  /** The step after the end of a message, in the same transaction. */
  readonly conclude?: (transaction: DatabaseTransaction, subject: string) => Promise<void>;
}

const MINUTE = 60;
const DAY = 86_400;

/** All kinds of messages to people, apart from those to the owners of vouchers. */
export const createMessageKinds = (
  dependencies: OutboxDependencies,
  logger: Pick<Logger, 'error'>,
): Readonly<Record<OutboxKind, MessageKind>> => ({
  'access-notices': {
    channels: ['EMAIL'],
    patienceSeconds: null,
    unknown: 'idempotent',
    read: readNotice(dependencies),
  },
  'switched-off-webhooks': {
    channels: ['EMAIL'],
    patienceSeconds: null,
    unknown: 'idempotent',
    read: readWebhook(dependencies),
  },
  invitations: {
    channels: ['SMS', 'EMAIL'],
    patienceSeconds: 30 * MINUTE,
    unknown: 'once',
    read: readInvitation(dependencies),
    conclude: concludeInvitation,
  },
  // A statement is in the portal, too.
  statements: {
    channels: ['EMAIL'],
    patienceSeconds: 7 * DAY,
    unknown: 'once',
    read: readStatement(dependencies),
  },
  // A command makes a report at any time.
  'day-reports': {
    channels: ['EMAIL'],
    patienceSeconds: 3 * DAY,
    unknown: 'once',
    read: readReport(dependencies, logger),
  },
});

/** Reads an e-mail about a change of access: to the owners of the company, and to the person concerned. */
const readNotice =
  ({ database, settings: { http } }: OutboxDependencies): MessageKind['read'] =>
  async (auditId) => {
    const notice = await readAccessNotice(database, auditId);
    if (!notice) return 'The audit log does not have the change any more';
    return async (accountId) => {
      const told = notice.people.find(({ id }) => id === accountId);
      return (
        told && {
          to: told.email,
          subject: `${notice.companyName === null ? 'Your account' : `Access of ${notice.companyName}`} was changed`,
          text: noticeText(notice, { timeZone: told.timeZone, ...http }),
        }
      );
    };
  };

function noticeText(
  { at, action, details, ...notice }: AccessNotice,
  { timeZone, publicUrl }: { readonly timeZone: string; readonly publicUrl: string },
): string {
  const change = accessChangeOf(action);
  const what = change ? [change.text, changedSubject(change, details)].join(' ').trim() : action;
  const from = typeof details.sourceAddress === 'string' ? details.sourceAddress : undefined;
  // Sweden writes times as ISO 8601 does.
  const when = at.toLocaleString('sv-SE', {
    timeZone,
    timeZoneName: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const { changed, who, ifUnknown, page, why } = noticeParts(notice);
  return `${changed} was changed.

What: ${what}
Who:  ${who}
When: ${when}
${from === undefined ? '' : `From: ${from}\n`}
${ifUnknown} at once:

${publicUrl}${page}

You get this e-mail because ${why}.
`;
}

/** The parts of the text for people of a company, or for a person of the service. */
const noticeParts = ({
  actor,
  actorName: name,
  companyName,
}: Pick<AccessNotice, 'actor' | 'actorName' | 'companyName'>) =>
  companyName === null
    ? {
        changed: 'Your account at the voucher service',
        who: name ?? actor,
        ifUnknown:
          'If you did not expect this, sign in, change your password, and tell an operator',
        page: '/support/account',
        why: 'it concerns your own account',
      }
    : {
        changed: `The access of ${companyName} to the voucher service`,
        who: actorName(actor),
        ifUnknown:
          'If nobody of you did this, sign in, undo it, change your password, and contact us',
        page: '/portal/activity',
        why: "you own the company's account, or because it concerns your own",
      };

/** Reads an e-mail about a webhook that was switched off: to the people of its company. */
const readWebhook =
  ({ database, settings: { http } }: OutboxDependencies): MessageKind['read'] =>
  async (endpointId) => {
    const ended = await readSwitchedOff(database, Number(endpointId));
    if (!ended) return 'The webhook is not switched off any more';
    return async (accountId) => {
      const account = ended.accounts.find(({ id }) => id === accountId);
      return (
        account && {
          to: account.email,
          subject: 'A webhook was switched off',
          text: switchedOffText({
            ...ended,
            host: webhookHost(ended.url),
            publicUrl: http.publicUrl,
          }),
        }
      );
    };
  };

const switchedOffText = (parts: {
  readonly host: string;
  readonly reason: string;
  readonly publicUrl: string;
}): string => `The webhook to ${parts.host} was switched off.

${parts.reason}

It gets no events until somebody resumes it:

${parts.publicUrl}/portal/webhooks

There you also see what the receiver answered. When it is resumed, it gets the events that it has missed
and that are still kept. GET /events lists them, too.
`;

/**
 * Reads the message with the link of an invitation to a merchant. The first message creates and activates the link.
 */
const readInvitation =
  ({
    database,
    digests,
    secretBox,
    settings: { http, portal },
  }: OutboxDependencies): MessageKind['read'] =>
  async (invitationId, channel) => {
    const created = randomInvitationToken();
    await beginInvitation(database, invitationId, {
      tokenDigest: digests.invitation(created),
      tokenCiphertext: secretBox.seal(created, contextOf(invitationId)),
      lifetimeMs: portal.invitationLifetimeSeconds * 1_000,
    });
    const facts = await readInvitationFacts(database, invitationId);
    if (!facts) return 'The invitation has ended';
    const { email, msisdn, merchantName, routes } = facts;
    const secret = secretBox.open(facts.tokenCiphertext, contextOf(invitationId));
    const link = `${http.publicUrl}/portal/activate/${secret}`;
    const time = inWords(facts.remainingSeconds);
    return async () =>
      channel === 'SMS'
        ? { to: msisdn ?? '', text: smsText(merchantName, link, time), routes, secret }
        : {
            to: email,
            subject: 'Activate your voucher portal account',
            text: emailText({ merchantName, email, link, time }),
            secret,
          };
  };

/** The context under which the token of an invitation is sealed. */
const contextOf = (invitationId: string): string => `invitation ${invitationId}`;

const smsText = (merchantName: string, link: string, time: string): string =>
  `Activate the voucher portal account of ${merchantName} within ${time}: ${link} ` +
  'The link works once. Give it to nobody.';

const emailText = (parts: {
  readonly merchantName: string;
  readonly email: string;
  readonly link: string;
  readonly time: string;
}): string => `${parts.merchantName} is invited to the voucher portal.

Activate the account by choosing a password:

${parts.link}

The link works once, and for ${parts.time}. Afterwards ask us for a new one. You sign in as
${parts.email}.

In the portal you make API keys, register your server's address and your public key, and are led to
your first signed request.

You did not expect this? Then do nothing, and give the link to nobody.
`;

/** A lifetime in words, rounded for people. */
function inWords(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 90) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}

/** Limit of reading one statement. */
const READ_STATEMENT_TIMEOUT_MS = 60_000;

/** Reads the e-mail with the monthly statement of a company: to its owners and people of finance. */
const readStatement =
  ({
    database,
    statementFiles,
    settings: { http, market },
  }: OutboxDependencies): MessageKind['read'] =>
  async (subject) => {
    const [kind, id, month] = subject.split(' ') as [CompanyKind, string, Month];
    const { marketTimeZone: zone } = market;
    const patient = withSettings(database, { statement_timeout: READ_STATEMENT_TIMEOUT_MS });
    const statement = await inSnapshot(patient, (snapshot) =>
      readCompanyMonth(snapshot, { kind, id: Number(id) }, { month, zone }),
    );
    if (isEmptyStatement(statement)) return 'The statement is empty';
    const attachments = statementFiles(statement);
    return async (accountId) => {
      const recipient = await statementRecipient(database, accountId);
      if (!recipient) return undefined;
      const text = statementMessages[recipient.language ?? 'en']({
        company: statement.company.name,
        month,
        zone,
        statementsUrl: `${http.publicUrl}/portal/statements`,
        accountUrl: `${http.publicUrl}/portal/account`,
      });
      return { to: recipient.email, ...text, attachments };
    };
  };

/** Limit of one statement of a report. */
const READ_REPORT_TIMEOUT_MS = 120_000;

/** Thrown while the replica does not have the whole day. */
class ReplicaBehindError extends Error {
  override readonly name = 'ReplicaBehindError';
}

/**
 * Reads the e-mail with the report of a day: to the registered addresses. A replica, if there is one, makes the
 * report.
 */
const readReport =
  (
    { database, readDatabase = database, dayReportFiles, settings }: OutboxDependencies,
    logger: Pick<Logger, 'error'>,
  ): MessageKind['read'] =>
  async (day) => {
    const patient = withSettings(readDatabase, { statement_timeout: READ_REPORT_TIMEOUT_MS });
    const zone = settings.market.marketTimeZone;
    const report = await readDayReport(patient, { day: day as Day, zone });
    // The day has closed, and the e-mail is written again until the replica has all of it.
    if (!report.isClosed) throw new ReplicaBehindError();
    if (!isInOrder(report)) logger.error({ day }, 'The report of a day shows faults');
    const attachments = dayReportFiles(report);
    return async (recipientId) => {
      const to = await reportAddress(database, recipientId);
      return to === undefined ? undefined : { to, ...reportMessage(report), attachments };
    };
  };

function reportMessage(report: DayReport) {
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

The same for any day: npm run admin -- money report --day ${day}
You get this e-mail because an operator registered your address:
npm run admin -- money report-recipient remove
`,
  };
}
