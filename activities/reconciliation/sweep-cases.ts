import type { Database } from '../../src/db/connection.ts';
import { listRefusedRowsLeft } from '../../src/db/reconciliation/refused-rows.ts';
import {
  type DueVouchers,
  dueVouchersOf,
  type StuckPartner,
} from '../../src/db/vouchers/expiry.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import type { RefusedRowKind } from '../../src/domain/refused-rows.ts';
import type { CaseName } from '../../workflows/contracts.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import type { RefusedRows } from './sweep-batches.ts';

const MAXIMUM_SHOWN = 20;

/** The state of a case, and the text of its page in the Temporal UI. */
export interface CaseState {
  readonly isOpen: boolean;
  readonly paragraphs: readonly string[];
}

/** Starts the cases of what a sweep could not end. */
export function createSweepCaseActivities({ caseStarter }: ActivityDependencies) {
  /**
   * Starts the workflow of each partner whose vouchers cannot expire, where it has none; returns how
   * many it started.
   */
  const openDueVoucherCases = (stuck: readonly StuckPartner[]): Promise<number> =>
    withHeartbeat(async () => {
      let opened = 0;
      for (const { partnerId, dueUntil } of stuck) {
        const name = { kind: 'due-vouchers', partnerId, dueUntil } as const;
        const summary = `Vouchers of partner ${partnerId} cannot expire`;
        if (await caseStarter.start(name, summary, { partnerId })) opened += 1;
      }
      return opened;
    });

  /** Starts the workflow of the rows that the database refuses to end, one for each kind of rows. */
  const openRefusedRowCases = (refused: readonly RefusedRows[]): Promise<number> =>
    withHeartbeat(async () => {
      let opened = 0;
      for (const { rows, ids } of refused) {
        const summary = `The database refuses ${nouns[rows]}`;
        const name = { kind: 'refused-rows', rows, ids } as const;
        if (await caseStarter.start(name, summary, {})) opened += 1;
      }
      return opened;
    });

  return { openDueVoucherCases, openRefusedRowCases };
}

/** The state of the vouchers of a partner that could not expire. */
export async function readDueVouchers(
  database: Database,
  { partnerId, dueUntil }: Extract<CaseName, { kind: 'due-vouchers' }>,
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
  { rows, ids }: Extract<CaseName, { kind: 'refused-rows' }>,
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
      'The log of the worker has the error of the database: remove its cause. The next sweep tries ' +
        'them again, and this case ends. To check now, send the signal `lookAgain`.',
    ],
  };
}

/** What a sweep does with rows of a kind. */
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

/** What a person can do so that they expire. */
const dueAdvice = (partnerId: number, { isCovered }: DueVouchers): string =>
  (isCovered
    ? 'The reserve covers them, so the next sweep expires them. If they remain after it, the database ' +
      'refuses the transfer: the log of the worker has the error.'
    : 'See what the books lack with `npm run admin -- check-ledger`, and find the transfer that took ' +
      `it with \`npm run admin -- statement --partner ${partnerId} --wallet reserved\`. Once the ` +
      'reserve is right again, the next sweep expires them.') +
  ' Then this case ends. To check now, send the signal `lookAgain`.';
