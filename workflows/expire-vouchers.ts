import type { Activities } from '../activities/index.ts';
import type { RefusedRowKind } from '../src/domain/refusals.ts';
import { expirySteps } from './activity-options.ts';
import { bulletList, showDetails } from './current-details.ts';
import { raiseFailures } from './steps/failures.ts';

/** Limit of rounds of a step; the next expiry run does the rest. */
const MAXIMUM_ROUNDS = 20;
const MAXIMUM_SHOWN = 20;

/** The effect of one expiry run, for the Temporal UI. */
interface ExpiryRunResult {
  readonly expiredClaims: number;
  readonly expiredVouchers: number;
  readonly failedTopups: number;
  readonly endedInvitations: number;
  /** Vouchers whose owners are told that they expire soon. */
  readonly queuedReminders: number;
  /** People whose monthly statements were dealt with. */
  readonly queuedReports: number;
  /** Bulk orders that had no workflow. */
  readonly resumedBulkOrders: number;
  /** Partners whose vouchers cannot expire; each has a case. */
  readonly stuckPartners: number;
  /** Other rows that the database refuses to end; each kind of them has a case. */
  readonly refusedRows: number;
  /** Rows beyond their retention, including operations. */
  readonly prunedOperations: number;
}

type Ended = Pick<Awaited<ReturnType<Activities['endDueClaims']>>, 'count' | 'isDone' | 'refused'>;

type StuckPartner = Awaited<ReturnType<Activities['endDueVouchers']>>['stuck'][number];

/**
 * Ends what is over: vouchers and claims that are due, top-ups that never began,
 * invitations whose time is over, and what is kept for a limited time. A Schedule starts it. Claims
 * come first: a claimed voucher does not expire, and the end of a claim decides about its message.
 * A step that fails keeps none of the others from being done. A partner whose vouchers cannot
 * expire becomes a case with a workflow of its own, until they have expired. So do other rows that
 * the database refuses to end.
 *
 * @throws the failures of steps
 */
export async function expireVouchers(): Promise<ExpiryRunResult> {
  const failures: unknown[] = [];
  const stuck = new Map<number, StuckPartner>();
  const refused = createRefusedRows();
  const step = (endBatch: () => Promise<Ended>): Promise<number> =>
    untilDone(endBatch, refused.add).catch((error: unknown) => {
      failures.push(error);
      return 0;
    });

  const result = {
    expiredClaims: await step(expirySteps.endDueClaims),
    expiredVouchers: await step(async () => {
      const ended = await expirySteps.endDueVouchers(leftOut(stuck));
      for (const partner of ended.stuck) stuck.set(partner.partnerId, partner);
      return ended;
    }),
    failedTopups: await step(expirySteps.endDueTopups),
    queuedReminders: await step(expirySteps.queueReminders),
    queuedReports: await step(expirySteps.queueReports),
    endedInvitations: await step(expirySteps.endDueInvitations),
    resumedBulkOrders: await step(async () => ({
      count: await expirySteps.resumeBulkOrders(),
      isDone: true,
    })),
    stuckPartners: stuck.size,
    prunedOperations: await step(expirySteps.pruneRows),
    refusedRows: refused.count(),
  };
  const cases = [...[...stuck.values()].map(caseOfPartner), ...refused.cases()];
  if (cases.length > 0)
    await expirySteps.openExpiryCases(cases).catch((error: unknown) => failures.push(error));
  if (stuck.size > 0) showStuck([...stuck.values()]);
  raiseFailures(failures);
  if (stuck.size === 0) showResult(result);
  return result;
}

const caseOfPartner = ({ partnerId, dueUntil }: StuckPartner) =>
  ({ kind: 'due-vouchers', partnerId, dueUntil }) as const;

/** Partners that the next round leaves out: any others may have only single refused vouchers. */
const leftOut = (stuck: ReadonlyMap<number, StuckPartner>): number[] =>
  [...stuck.values()]
    .filter(({ reason }) => reason === 'reserve-too-small')
    .map(({ partnerId }) => partnerId);

/** The rows that the database refused in any round of an expiry run. */
function createRefusedRows() {
  const byKind = new Map<RefusedRowKind, Set<string>>();
  return {
    add({ refused = [] }: Ended): void {
      for (const { rows, ids } of refused)
        byKind.set(rows, new Set([...(byKind.get(rows) ?? []), ...ids]));
    },
    count: (): number => [...byKind.values()].reduce((sum, { size }) => sum + size, 0),
    /** One for each kind of rows. */
    cases: () =>
      [...byKind].map(([rows, ids]) => ({ kind: 'refused-rows', rows, ids: [...ids] }) as const),
  };
}

/** Repeats a step until it is done. */
async function untilDone(
  endBatch: () => Promise<Ended>,
  note: (ended: Ended) => void,
): Promise<number> {
  let total = 0;
  for (let round = 0; round < MAXIMUM_ROUNDS; round += 1) {
    const ended = await endBatch();
    note(ended);
    total += ended.count;
    if (ended.isDone) break;
  }
  return total;
}

const showResult = (result: ExpiryRunResult): void =>
  showDetails(
    `${result.refusedRows === 0 ? '**In order.**' : refusedWords(result)} Ended: ${result.expiredVouchers} vouchers, ${result.expiredClaims} claims, ` +
      `${result.failedTopups} top-ups that never began. Queued: ${result.queuedReminders} reminders and ` +
      `${result.queuedReports} reports. This run needs no action.`,
  );

const refusedWords = ({ refusedRows }: ExpiryRunResult): string =>
  `**The database refused ${refusedRows} rows.** Each kind of them has a case, found by ` +
  '`NeedsAction = true`.';

function showStuck(stuck: readonly StuckPartner[]): void {
  showDetails(
    `**Partners whose vouchers cannot expire: ${stuck.length}.** Each has a case with a workflow, found ` +
      'by `NeedsAction = true` until the vouchers have expired; its page says what to do. This run ' +
      'needs no action.',
    bulletList(listed(stuck)),
  );
}

const words = (stuck: StuckPartner): string =>
  `partner ${stuck.partnerId} (${stuck.companyName}): vouchers that are due: ${stuck.vouchers}, worth ` +
  `${stuck.amount} ETB; its reserve holds ${stuck.reserved} ETB` +
  (stuck.reason === 'reserve-too-small' ? '' : '; the database refused the transfer');

const listed = (stuck: readonly StuckPartner[]): string[] =>
  stuck.slice(0, MAXIMUM_SHOWN).map(words);
