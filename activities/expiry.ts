import { heartbeat, log } from '@temporalio/activity';
import type { Database } from '../src/db/connection.ts';
import { SIGN_IN_WINDOW_SECONDS } from '../src/db/limits/attempts.ts';
import { remindersStep } from '../src/db/messages/abandoned-messages.ts';
import { endExpiredInvitations } from '../src/db/people/invitations.ts';
import { sessionLifetimes } from '../src/db/people/sign-ins.ts';
import { pruneInTurns, type Retention } from '../src/db/pruning.ts';
import { listRefusedRowsLeft } from '../src/db/reconciliation.ts';
import { endBatch, type RowStep } from '../src/db/refused-rows.ts';
import { queueReportEmails, queueStatementEmails } from '../src/db/reports/emails.ts';
import { staleRetriesStep, staleTopupsStep } from '../src/db/topups/attempts.ts';
import { overdueClaimsStep } from '../src/db/vouchers/claims.ts';
import {
  type DueVouchers,
  dueVouchersOf,
  expireVouchersApart,
  type StuckPartner,
} from '../src/db/vouchers/expiry.ts';
import { formatAmount, parseMoney } from '../src/domain/money.ts';
import type { RefusedRowKind } from '../src/domain/refusals.ts';
import type { CaseName } from '../workflows/contracts.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './provider-call.ts';

/** Time limit of a step; the workflow repeats it for the rest. */
const STEP_MS = 15_000;

/** Rows per transaction, so that an expiry run never holds many locks for long. */
const BATCH_SIZE = 500;
const PRUNE_BATCH_SIZE = 5_000;

/** Rows that the database refuses to end. */
interface RefusedRows {
  readonly rows: RefusedRowKind;
  readonly ids: readonly string[];
}

/** The effect of one step of an expiry run. */
interface Ended {
  readonly count: number;
  /** False when the time limit ended the step early. */
  readonly isDone: boolean;
  readonly refused?: readonly RefusedRows[];
}

interface Batch {
  readonly count: number;
  readonly isLast: boolean;
}

/** A batch that is not full is the last one. */
const fullBatches = (endBatch: () => Promise<number>) => async (): Promise<Batch> => {
  const count = await endBatch();
  return { count, isLast: count < BATCH_SIZE };
};

/** Runs batches until there are no more rows, or the time limit of the step. */
async function inBatches(
  endBatch: () => Promise<Batch>,
  endsAt = Date.now() + STEP_MS,
): Promise<Ended> {
  for (let total = 0; ; ) {
    const { count, isLast } = await endBatch();
    total += count;
    heartbeat(total);
    if (isLast || Date.now() > endsAt) return { count: total, isDone: isLast };
  }
}

/** Ends all rows of a step in batches; a row that the database refuses is logged and left out. */
async function endAll<Id extends string | number>(
  rows: RefusedRowKind,
  step: RowStep<Id>,
  endsAt?: number,
): Promise<Ended> {
  const except: Id[] = [];
  const ended = await inBatches(async () => {
    const { count, refused } = await endBatch(step, except);
    for (const { id, error } of refused)
      log.error('The database refuses to end a row', { rows, id, error });
    except.push(...refused.map(({ id }) => id));
    // After a batch with refused rows there may be others.
    return { count, isLast: count < BATCH_SIZE && refused.length === 0 };
  }, endsAt);
  return except.length === 0 ? ended : { ...ended, refused: [{ rows, ids: except.map(String) }] };
}

/** The effect of several steps as one. */
function sumOf(all: readonly Ended[]): Ended {
  const refused = all.flatMap((ended) => ended.refused ?? []);
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    isDone: all.every(({ isDone }) => isDone),
    ...(refused.length > 0 && { refused }),
  };
}

const MAXIMUM_SHOWN = 20;

/** The state of a case, and the text of its page in the Temporal UI. */
export interface CaseState {
  readonly isOpen: boolean;
  readonly paragraphs: readonly string[];
}

/** A case of what an expiry run could not end. */
type ExpiryCase = Extract<CaseName, { readonly kind: 'due-vouchers' | 'refused-rows' }>;

/** Starts the cases of what an expiry run could not end. */
export function createExpiryCaseActivities({ starters }: ActivityDependencies) {
  const open = (name: ExpiryCase): Promise<boolean> =>
    name.kind === 'due-vouchers'
      ? starters.startCase(name, `Vouchers of partner ${name.partnerId} cannot expire`, {
          partnerId: name.partnerId,
        })
      : starters.startCase(name, `The database refuses ${nouns[name.rows]}`, {});

  /**
   * Starts the workflow of each case, where it has none; returns how many it started. A case that cannot be started
   * holds up no other one.
   */
  const openExpiryCases = (cases: readonly ExpiryCase[]): Promise<number> =>
    withHeartbeat(async () => {
      let opened = 0;
      const failures: unknown[] = [];
      for (const name of cases)
        try {
          if (await open(name)) opened += 1;
        } catch (error) {
          failures.push(error);
        }
      if (failures.length > 0) throw failures[0];
      return opened;
    });

  return { openExpiryCases };
}

/** The state of the vouchers of a partner that could not expire. */
export async function readDueVouchers(
  database: Database,
  { partnerId, dueUntil }: Extract<ExpiryCase, { kind: 'due-vouchers' }>,
): Promise<CaseState> {
  const due = await dueVouchersOf(database, partnerId, dueUntil);
  if (due.vouchers > 0)
    return { isOpen: true, paragraphs: [describeDue(partnerId, due), dueAdvice(partnerId, due)] };
  const done = `**Settled**: no voucher of partner ${partnerId} (${due.companyName}) is left of`;
  return { isOpen: false, paragraphs: [`${done} those that could not expire.`] };
}

/** The state of rows that the database refused to end. */
export async function readRefusedRows(
  database: Database,
  { rows, ids }: Extract<ExpiryCase, { kind: 'refused-rows' }>,
): Promise<CaseState> {
  const left = await listRefusedRowsLeft(database, rows, ids);
  if (left.length === 0)
    return { isOpen: false, paragraphs: [`**Settled**: no refused ${rows} is left.`] };
  return {
    isOpen: true,
    paragraphs: [
      `**The database refuses ${nouns[rows]}**: ${left.length}. All others are done.`,
      left
        .slice(0, MAXIMUM_SHOWN)
        .map((id) => `- ${idNames[rows]} ${id}`)
        .join('\n'),
      'The log of the worker has the error of the database: remove its cause. The next expiry run tries ' +
        'them again, and this case ends. To check now, send the signal `lookAgain`.',
    ],
  };
}

/** What an expiry run does with rows of a kind. */
const nouns: Readonly<Record<RefusedRowKind, string>> = {
  claim: 'the end of claims',
  'top-up': 'the end of top-ups that never began',
  retry: 'the end of retries that never began',
  reminder: 'reminders of vouchers that expire soon',
};

const idNames: Readonly<Record<RefusedRowKind, string>> = {
  claim: 'claim',
  'top-up': 'top-up',
  retry: 'retry by the operation',
  reminder: 'voucher',
};

const describeDue = (partnerId: number, due: DueVouchers): string =>
  `**Vouchers that are due cannot expire**: ${due.vouchers} of partner ${partnerId} ` +
  `(${due.companyName}), ETB ${formatAmount(parseMoney(due.amount))}; its reserve holds ETB ` +
  `${formatAmount(parseMoney(due.reserved))}. Their value stays reserved; the vouchers of other ` +
  'partners expire.';

/** How a person can help them to expire. */
const dueAdvice = (partnerId: number, { isCovered }: DueVouchers): string =>
  (isCovered
    ? 'The reserve covers them, so the next expiry run expires them. If they remain after it, the database ' +
      'refuses the transfer: the log of the worker has the error.'
    : 'See what the books lack with `npm run admin -- money check-ledger`, and find the transfer that took ' +
      `it with \`npm run admin -- money statement --partner ${partnerId} --wallet reserved\`. Once the ` +
      'reserve is right again, the next expiry run expires them.') +
  ' Then this case ends. To check now, send the signal `lookAgain`.';

/** Days that the row of an operation is kept. Afterwards its effect answers a repetition, if it has one (`effects`). */
export const OPERATION_DAYS = 30;
/** Days that events are kept. */
export const EVENT_DAYS = 30;

interface EndedVouchers extends Ended {
  /** Partners with due vouchers that cannot expire. */
  readonly stuck: readonly StuckPartner[];
}

export function createExpiryActivities(dependencies: ActivityDependencies) {
  const { database, failpoint, settings } = dependencies;
  const retention: Retention = {
    ...settings.schedules,
    operationDays: OPERATION_DAYS,
    eventDays: EVENT_DAYS,
    signInSeconds: SIGN_IN_WINDOW_SECONDS,
    sessionSeconds: sessionLifetimes.maximumSeconds,
  };

  /** Expires orphaned claims. */
  const endDueClaims = (): Promise<Ended> =>
    endAll('claim', overdueClaimsStep(database, BATCH_SIZE));

  const endDueVouchers = (partnersBefore: readonly number[]): Promise<EndedVouchers> =>
    expireAllDue(database, partnersBefore);

  /** Fails top-ups and retries whose workflows never began. */
  async function endDueTopups(): Promise<Ended> {
    const batch = { startSeconds: settings.topups.topupStartSeconds, batchSize: BATCH_SIZE };
    const endsAt = Date.now() + STEP_MS;
    return sumOf([
      await endAll('top-up', staleTopupsStep(database, batch), endsAt),
      await endAll('retry', staleRetriesStep(database, batch), endsAt),
    ]);
  }

  /** Queues messages to owners whose vouchers expire soon. */
  const queueReminders = (): Promise<Ended> =>
    endAll(
      'reminder',
      remindersStep(database, { ...settings.vouchers, ...settings.market }, BATCH_SIZE),
    );

  /** Ends invitations whose time is over. */
  const endDueInvitations = (): Promise<Ended> =>
    inBatches(fullBatches(() => endExpiredInvitations(database, BATCH_SIZE)));

  /** Queues the day reports and the monthly statements of periods that have closed. */
  async function queueReports(): Promise<Ended> {
    const { marketTimeZone: zone } = settings.market;
    const reports = await queueReportEmails(database, zone);
    const statements = await inBatches(
      fullBatches(() => queueStatementEmails(database, zone, BATCH_SIZE)),
    );
    await failpoint('outbox-queued');
    return { ...statements, count: reports + statements.count };
  }

  /** Deletes rows beyond their retention. */
  const pruneRows = (): Promise<Ended> => pruneInTime(database, retention);

  return {
    endDueClaims,
    endDueVouchers,
    endDueTopups,
    queueReminders,
    endDueInvitations,
    queueReports,
    pruneRows,
  };
}

/** Expires due vouchers, except those of partners that were already left out as a whole. */
async function expireAllDue(
  database: Database,
  partnersBefore: readonly number[],
): Promise<EndedVouchers> {
  const partners = [...partnersBefore];
  const vouchers: number[] = [];
  const stuck = new Map<number, StuckPartner>();
  const ended = await inBatches(async () => {
    const batch = await expireVouchersApart(database, BATCH_SIZE, { partners, vouchers });
    for (const { id, error } of batch.refused)
      log.error('The database refuses to expire a voucher', { voucherId: id, error });
    for (const partner of batch.stuck) {
      log.error('Could not expire vouchers', partner);
      stuck.set(partner.partnerId, partner);
    }
    partners.push(...batch.leftOut);
    vouchers.push(...batch.refused.map(({ id }) => id));
    // After a batch of stuck vouchers there may be others.
    const isLast = batch.expired < BATCH_SIZE && batch.stuck.length === 0;
    return { count: batch.expired, isLast };
  });
  return { ...ended, stuck: [...stuck.values()] };
}

const pruneInTime = (database: Database, retention: Retention): Promise<Ended> =>
  pruneInTurns(database, retention, {
    batchSize: PRUNE_BATCH_SIZE,
    endsAt: Date.now() + STEP_MS,
    note: heartbeat,
  });
