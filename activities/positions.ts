import { cancellationSignal, log } from '@temporalio/activity';
import { allValues, firstValue } from '../src/db/connection.ts';
import { book } from '../src/db/positions/book.ts';
import { type Case, findCase, listCases, noteUnbooked } from '../src/db/positions/cases.ts';
import { observed } from '../src/db/positions/change.ts';
import { type LockedOrder, lockOrder, subjectOfOrder } from '../src/db/positions/orders.ts';
import {
  countDue,
  type DuePlacement,
  databaseMoment,
  takeDue,
} from '../src/db/positions/placements.ts';
import { findAttempt } from '../src/db/topups/attempts.ts';
import { redemptionPayment } from '../src/db/vouchers/redemptions.ts';
import { formatAmount, magnitudeOf, parseMoney } from '../src/domain/money.ts';
import { caseAdvice, caseTitle } from '../src/domain/positions/case-texts.ts';
import type { Observation } from '../src/domain/positions/placement.ts';
import { caseOf, difference, differenceOf } from '../src/domain/positions/position.ts';
import { type ProviderInquiry, unknown } from '../src/providers/outcome.ts';
import type { StartNames } from '../src/runtime/temporal/workflow-starts.ts';
import type { CaseInput } from '../workflows/contracts.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type CaseState, readDueVouchers, readRefusedRows } from './expiry.ts';
import { withHeartbeat } from './provider-call.ts';
import { askByTakenId, askProvider } from './providers.ts';
import { checkBooksFor } from './reconciliation.ts';
import { paymentOf } from './redemptions/payments.ts';
import { findReversalCall } from './redemptions/reversals.ts';
import { oneByOne, severalAtOnce } from './several-at-once.ts';
import { orderOf } from './topups/topup-orders.ts';

/** The observation in the answer to an inquiry. An absent or unclear answer is silence. */
function observationOf(answer: ProviderInquiry, at: number): Observation {
  const inquiry = { at, source: 'inquiry' } as const;
  switch (answer.kind) {
    case 'delivered':
      return answer.reversal === undefined
        ? { ...inquiry, said: 'done', providerReference: answer.providerReference }
        : { ...inquiry, said: 'undone', message: answer.reversal };
    case 'refused':
      return { ...inquiry, said: 'nothing', message: answer.message };
    case 'never-seen':
      return { ...inquiry, said: 'never-seen' };
    case 'unknown': {
      if (answer.otherAmount)
        return {
          ...observationOf(answer.otherAmount.outcome, at),
          amount: parseMoney(answer.otherAmount.amount),
        };
      return answer.disagrees
        ? { ...inquiry, said: 'other', message: answer.message }
        : { ...inquiry, said: 'silent' };
    }
    case 'not-sent':
      return { ...inquiry, said: 'silent' };
  }
}

/** Books what a provider says of a placement that it was asked about. Logs a new case. */
async function observePlacement(
  { database, settings }: Pick<ActivityDependencies, 'database' | 'settings'>,
  { id, operationId, takenAt }: DuePlacement,
  seen: Observation,
): Promise<LockedOrder> {
  const order = await database.transaction().execute(async (transaction) => {
    const locked = await lockOrder(transaction, operationId);
    const after = observed(locked.position, id, seen);
    return book(transaction, locked, after, { source: 'inquiry', takenAt }, settings.topups);
  });
  const why = caseOf(order.position, order.now);
  if (why !== undefined && order.cases.every((one) => one.why !== why)) {
    const open = difference(order.position);
    log.error(caseTitle({ why, difference: differenceOf(order.position) }), {
      order: subjectOfOrder(order),
      etb: formatAmount(open),
    });
  }
  return order;
}

/** The workflow of a delivered top-up, which may wait for a retry in vain; undefined for any other order. */
async function workflowOfTopup(
  { database }: Pick<ActivityDependencies, 'database'>,
  { topupId }: LockedOrder,
): Promise<string | undefined> {
  if (topupId === null) return undefined;
  return await firstValue<string>(database)`
    select workflow_id from topups where id = ${topupId}`;
}

const PAGE_SIZE = 100;
/** Concurrent inquiries. */
const CONCURRENCY = 20;
/** Time limit of one batch; the next batch does the rest. */
const BATCH_MS = 300_000;
/** The share of the time until the next run over which the questions are spread, so that no call has to wait. */
const SHARE_OF_INTERVAL = 0.8;
/** The longest pause between two inquiries, where few are due. */
const LONGEST_PAUSE_MS = 50;

/** The result of one batch of inquiries. */
interface AskedBatch {
  readonly asked: number;
  /** The time limit or a stopping worker ended the batch early. */
  readonly isMore: boolean;
}

export function createAskActivities(dependencies: ActivityDependencies) {
  const { database, starters, settings } = dependencies;

  /**
   * Asks the providers about every placement that is due, until nothing is due, the time is over, or its worker stops.
   * Every payment is due ten minutes after its end, so that a busy service has thousands of them.
   * A placement whose inquiry fails stays due, and all others are asked about first.
   *
   * @throws the failure of the first that failed, when the rest is done
   */
  const askDue = (): Promise<AskedBatch> =>
    withHeartbeat(async () => {
      await severalAtOnce(await recentlyDelivered(), CONCURRENCY, nudge);
      const endsAt = Date.now() + BATCH_MS;
      const dueBy = await databaseMoment(database);
      const spreadMs = SHARE_OF_INTERVAL * settings.schedules.reconcileIntervalSeconds * 1_000;
      const pauseMs = spreadMs / Math.max(1, await countDue(database, dueBy));
      const turn = oneByOne(Math.min(LONGEST_PAUSE_MS, pauseMs));
      const failures: unknown[] = [];
      let asked = 0;
      let isMore = true;
      const stops = cancellationSignal();
      while (isMore && Date.now() < endsAt && !stops.aborted) {
        const due = await takeDue(database, dueBy, PAGE_SIZE);
        await severalAtOnce(due, CONCURRENCY, (one) => turn().then(() => ask(one))).catch(
          (error: unknown) => failures.push(error),
        );
        asked += due.length;
        isMore = due.length > 0;
      }
      if (failures.length > 0) throw failures[0];
      return { asked, isMore };
    });

  async function ask(due: DuePlacement): Promise<void> {
    const answer = await inquire(dependencies, due);
    const order = await observePlacement(dependencies, due, observationOf(answer, due.takenMs));
    const workflowId = await workflowOfTopup(dependencies, order);
    if (workflowId !== undefined && answer.kind === 'delivered') await nudge(workflowId);
  }

  /**
   * The workflows of top-ups whose case was opened within the last hour: a worker may have died between a booking and
   * its nudge. A nudged workflow has ended.
   */
  async function recentlyDelivered(): Promise<string[]> {
    return await allValues<string>(database)`
      select workflow_id from cases join topups on topups.id = topup_id
      where closed_at is null and opened_at > now() - interval '1 hour'
      order by cases.id desc limit ${PAGE_SIZE}`;
  }

  /** Tells the workflow of a top-up about a late delivery: it may wait for a retry that is no longer needed. */
  async function nudge(workflowId: string): Promise<void> {
    try {
      await starters.nudgeTopup(workflowId);
    } catch (error) {
      log.warn('Could not signal a late delivery to a top-up workflow', { error });
    }
  }

  return { askDue };
}

/** Asks a provider about an order as it was placed there. */
async function inquire(
  { database, airtime, mobileMoney, numbers }: ActivityDependencies,
  due: DuePlacement,
): Promise<ProviderInquiry> {
  const { kind, operationId, provider, leftAt, id } = due;
  if (kind === 'top-up') {
    const order = orderOf(await findAttempt(database, operationId), numbers);
    return askProvider(airtime, provider, (port) =>
      askByTakenId(database, due, (takenAs) => port.findOrder(order, leftAt ?? undefined, takenAs)),
    );
  }
  if (kind === 'payment') {
    const payment = paymentOf(await redemptionPayment(database, operationId));
    return askProvider(mobileMoney, provider, (port) =>
      askByTakenId(database, due, (takenAs) => port.findPayment(payment, takenAs)),
    );
  }
  const reversal = await findReversalCall(database, id);
  // The provider does not know this reversal by a reference of ours: its statement lists the reversal.
  if (!reversal) return unknown('The service did not ask for this reversal.');
  return askProvider(mobileMoney, provider, async ({ reversals }) =>
    reversals
      ? askByTakenId(database, due, (takenAs) => reversals.findReversal(reversal, takenAs))
      : unknown(`The provider ${provider} cannot be asked about reversals.`),
  );
}

/** The next check takes the rest. */
const BOOKS_CHECK_MS = 200_000;
const MAXIMUM_SHOWN = 20;
/** More than a person can look at: later ones wait. */
const MAXIMUM_CASES = 300;

export function createCaseActivities({ database, starters }: ActivityDependencies) {
  /**
   * Starts a workflow for each open case without one; returns the summaries of the started ones.
   * Inconsistent books are a case as well.
   */
  async function openCases(booksAreBroken: boolean): Promise<string[]> {
    const opened: string[] = [];
    for (const one of await listCases(database, { includeClosed: false, limit: MAXIMUM_CASES })) {
      const summary = describeCase(one);
      const name = { kind: 'case', id: one.id } as const;
      if (await starters.startCase(name, summary, namesOf(one))) opened.push(summary);
    }
    if (booksAreBroken) await starters.startCase({ kind: 'books' }, 'The books do not agree', {});
    return opened;
  }

  /** The state of a case. People settle cases in the database, which is authoritative. */
  const readCase = ({ name }: CaseInput): Promise<CaseState> =>
    withHeartbeat(() => {
      switch (name.kind) {
        case 'books':
          return readBooks();
        case 'refused-rows':
          return readRefusedRows(database, name);
        case 'due-vouchers':
          return readDueVouchers(database, name);
        case 'case':
          return readOne(name.id);
      }
    });

  async function readOne(id: number): Promise<CaseState> {
    const found = await findCase(database, id);
    if (!found || found.closedAt !== null)
      return {
        isOpen: false,
        paragraphs: [`**Settled**: ${found ? describeCase(found) : `case ${id}`}.`],
      };
    return {
      isOpen: true,
      paragraphs: [
        `**${describeCase(found)}**`,
        ...(found.message === null ? [] : [found.message]),
        `${caseAdvice(found.why)} At /support, or with \`npm run admin -- cases show ${id}\` and \`cases settle\`.`,
      ],
    };
  }

  async function readBooks(): Promise<CaseState> {
    // Every faulty row is looked at again until it is in order.
    const { faults, isComplete } = await checkBooksFor(database, BOOKS_CHECK_MS);
    if (faults.length === 0 && isComplete)
      return { isOpen: false, paragraphs: ['**Settled**: the books agree again.'] };
    const listed = faults.slice(0, MAXIMUM_SHOWN).map((fault) => `- ${fault}`);
    return {
      isOpen: true,
      paragraphs: [
        `**The books do not agree**: ${faults.length} findings. See each with ` +
          '`npm run admin -- money check-ledger`. Until then pay out nothing by hand.',
        listed.join('\n'),
      ],
    };
  }

  /** Records that a decided outcome cannot be booked, which opens a case. */
  async function noteUnbookedPayment(
    kind: 'redemption' | 'topup',
    operationId: string,
  ): Promise<void> {
    log.error('Could not book a decision of a provider', { kind, operationId });
    await noteUnbooked(database, operationId);
  }

  return { openCases, readCase, noteUnbookedPayment };
}

/** The search attributes of a case's workflow. */
const namesOf = ({
  partnerId,
  merchantId,
  serialNumber,
  topupId,
  reference,
}: Case): StartNames => ({
  partnerId: partnerId ?? undefined,
  merchantId: merchantId ?? undefined,
  serialNumber: serialNumber ?? undefined,
  transactionId: topupId ?? undefined,
  references: reference === null ? [] : [reference],
});

/** "Two providers did one order, ETB 487.50, at gsma, Addis Gifts, since 2026-11-26, case 17". */
function describeCase(found: Case): string {
  const amount = parseMoney(found.amount);
  return [
    caseTitle(found),
    ...(amount === 0n ? [] : [`ETB ${formatAmount(magnitudeOf(amount))}`]),
    ...(found.provider === null ? [] : [`at ${found.provider}`]),
    ...(found.partner === null ? [] : [found.partner]),
    ...(found.reference === null ? [] : [`our reference ${found.reference}`]),
    `since ${found.openedAt.toISOString().slice(0, 10)}`,
    `case ${found.id}`,
  ].join(', ');
}
