import { log } from '@temporalio/activity';
import type { Database } from '../../src/db/connection.ts';
import type { FailpointName } from '../../src/process/failpoint.ts';
import type { Email } from '../../src/providers/email/email-sender.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import { runUnhurried } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';

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
export async function sendQueuedEmail(
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
export const readForEmails = <Content>(
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
