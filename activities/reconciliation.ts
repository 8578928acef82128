import { activityInfo, heartbeat, log } from '@temporalio/activity';
import { checkChangedBooks, noteWholeFaults } from '../src/db/books/check-changes.ts';
import {
  checkWholePart,
  linesOf,
  type WholeCursor,
  wholeStart,
} from '../src/db/books/check-whole.ts';
import { type Database, withSettings } from '../src/db/connection.ts';
import {
  type HeldAttempt,
  type HeldRedemption,
  heldAttempts,
  heldRedemptions,
  type PendingReversal,
  pendingReversals,
} from '../src/db/reconciliation.ts';
import { unfinishedBulkOrders } from '../src/db/vouchers/bulk-orders.ts';
import { namesOfVoucher } from '../src/domain/vouchers/voucher.ts';
import type {
  RedeemCommand,
  ReverseRedemptionCommand,
  TopupInput,
} from '../workflows/contracts.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './provider-call.ts';
import { type Pages, pageByPage } from './several-at-once.ts';

/** Slightly below the timeout of the activities that check the books. */
const BOOKS_STATEMENT_TIMEOUT_MS = 290_000;

const booksDatabase = (database: Database): Database =>
  withSettings(database, { statement_timeout: BOOKS_STATEMENT_TIMEOUT_MS });

/** Checks what has changed in the books since the last check. After a time it leaves the rest to the next one. */
export const checkBooksFor = (database: Database, milliseconds: number) =>
  checkChangedBooks(booksDatabase(database), { endsAt: Date.now() + milliseconds });

const CHECK_MS = 120_000;

export function createReconciliationActivities({ database }: ActivityDependencies) {
  /** Checks what has changed in the books since the last check; one line per broken invariant. */
  async function checkInvariants(): Promise<readonly string[]> {
    const { faults, isComplete } = await withHeartbeat(() => checkBooksFor(database, CHECK_MS));
    if (!isComplete) log.warn('The check of the books is behind; the next one continues');
    if (faults.length > 0) log.error('The books are inconsistent', { faults });
    return faults;
  }

  return { checkInvariants };
}

const PAGE_SIZE = 200;
/** Concurrent starts: each takes milliseconds, mostly of waiting. */
const CONCURRENCY = 20;

export function createResumptionActivities(dependencies: ActivityDependencies) {
  const { database, starters } = dependencies;

  /**
   * Resumes payments on hold, and pending reversals, without a running workflow; returns the number.
   */
  const resumeRedemptions = async (): Promise<number> =>
    (await resumeHeldRedemptions()) + (await resumeReversals());

  const resumeHeldRedemptions = (): Promise<number> =>
    resumeAll(
      (page) => heldRedemptions(database, page),
      (held) => resumePayment(dependencies, held),
    );

  /** Resumes pending reversals. They are few, so an interrupted attempt begins again. */
  const resumeReversals = (): Promise<number> =>
    resumeAll(
      (page) => pendingReversals(database, page),
      (pending) => resumeReversal(dependencies, pending),
      false,
    );

  /** Resumes top-ups on hold without a running workflow; returns the number. */
  const resumeTopups = (): Promise<number> =>
    resumeAll(
      (page) => heldAttempts(database, page),
      (held) => resumeAttempt(dependencies, held),
    );

  /** Resumes bulk orders without a running workflow; returns the number. */
  const resumeBulkOrders = (): Promise<number> =>
    resumeAll(
      (page) => unfinishedBulkOrders(database, page),
      ({ id, operation_id, partner_id }) =>
        starters.resumeBulkOrder({ id, operationId: operation_id, partnerId: partner_id }),
    );

  return { resumeRedemptions, resumeTopups, resumeBulkOrders };
}

/** The progress of an attempt of this activity, from which the next attempt continues. */
interface Position {
  readonly afterId: number;
  readonly resumed: number;
}

/**
 * Processes all orphans page by page, and several of each page concurrently. A hold that cannot be
 * resumed does not keep the later holds waiting.
 */
async function resumeAll<Held extends { readonly id: number }>(
  read: Pages<Held>['read'],
  resume: (held: Held) => Promise<boolean>,
  /** Whether the next attempt continues where this one was interrupted. */
  isContinued = true,
): Promise<number> {
  const progress: Position | undefined = isContinued ? activityInfo().heartbeatDetails : undefined;
  const begun = progress ?? { afterId: 0, resumed: 0 };
  let { resumed } = begun;
  // An attempt that was interrupted within a page repeats the page, which is idempotent; what it has
  // resumed of it is then not counted twice.
  const resumedBefore = new Map([[begun.afterId, begun.resumed]]);
  const note = (afterId: number) => {
    if (!resumedBefore.has(afterId)) resumedBefore.set(afterId, resumed);
    const position: Position = { afterId, resumed: resumedBefore.get(afterId) ?? resumed };
    heartbeat(position);
  };
  const work = async (held: Held) => {
    if (await resume(held)) resumed += 1;
  };
  await pageByPage(
    { size: PAGE_SIZE, concurrency: CONCURRENCY, read, work },
    begun.afterId,
    isContinued ? note : undefined,
  );
  return resumed;
}

type Resuming = Pick<ActivityDependencies, 'starters' | 'numbers'>;

/** Resumes a payment on hold; returns whether no workflow was running. */
export const resumePayment = (
  { starters, numbers }: Resuming,
  held: HeldRedemption,
): Promise<boolean> =>
  starters.resumeRedemption(held, redeemCommandOf(held), namesOfVoucher(held, numbers));

/** Resumes an attempt on hold; returns whether no workflow was running. */
export const resumeAttempt = (
  { starters, numbers }: Resuming,
  held: HeldAttempt,
): Promise<boolean> =>
  starters.resumeTopup(held.workflowId, attemptBeginOf(held), {
    numberHash: numbers.hashOfStored(held.msisdn),
  });

/** Resumes a pending reversal; returns whether no workflow was running. */
export const resumeReversal = (
  { starters, numbers }: Resuming,
  pending: PendingReversal,
): Promise<boolean> =>
  starters.resumeReversal(reverseCommandOf(pending), {
    ...namesOfVoucher({ ...pending, merchantId: pending.request.company.id }, numbers),
    references: pending.references,
  });

/** The command of a redemption on hold, with the caller of its request. The row has the rest. */
const redeemCommandOf = (held: HeldRedemption): RedeemCommand => ({
  ...held.request,
  voucherId: held.voucherId,
  // Otherwise its own answer would count as that of an abandoned request.
  hasKey: true,
  merchantId: null,
  amount: null,
  verificationCodeDigest: null,
  msisdn: null,
});

/** The command of a pending reversal, with the caller of its request. The row has the rest. */
const reverseCommandOf = (pending: PendingReversal): ReverseRedemptionCommand => ({
  ...pending.request,
  redemptionId: pending.redemptionId,
  reason: pending.reason,
});

/** The command of an attempt on hold, with the partner of its request. The row has the rest. */
function attemptBeginOf(held: HeldAttempt): TopupInput['begin'] {
  const command = { ...held.request, transactionId: held.id };
  return command.operationId === held.creationId
    ? { kind: 'create', command }
    : { kind: 'retry', command: { ...command, attempt: held.attempt, msisdn: null } };
}

/** Time of one part; the workflow asks for the next one. */
const PART_MS = 30_000;
/** Longest time of one statement. */
const STATEMENT_TIMEOUT_MS = 600_000;
const MAXIMUM_SHOWN = 20;

/** A part of the whole check of the books. */
export interface BooksPart {
  /** The first faults, one line each, and their number. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  /** How far it is, for people. */
  readonly progress: string;
  /** Where the next part begins; null at the end. */
  readonly next: WholeCursor | null;
}

export function createWholeBooksActivities({
  database,
  readDatabase = database,
}: ActivityDependencies) {
  /**
   * Checks the next part of all books, on the replica where there is one. Scheduled checks look at
   * what was found faulty until it is in order.
   */
  async function checkBooksPart(cursor: WholeCursor = wholeStart): Promise<BooksPart> {
    let progress = 'begun';
    const note = (latest: string) => {
      progress = latest;
      heartbeat(latest);
    };
    const patient = withSettings(readDatabase, { statement_timeout: STATEMENT_TIMEOUT_MS });
    const part = await withHeartbeat(() =>
      checkWholePart(patient, cursor, { endsAt: Date.now() + PART_MS, note }),
    );
    const faults = linesOf(part);
    if (faults.length > 0) {
      log.error('The books are inconsistent', { faults: faults.slice(0, MAXIMUM_SHOWN) });
      await noteWholeFaults(booksDatabase(database), part);
    }
    return {
      faults: faults.slice(0, MAXIMUM_SHOWN),
      faultCount: faults.length,
      progress,
      next: part.next,
    };
  }

  return { checkBooksPart };
}
