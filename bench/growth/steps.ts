import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { firstMonthKept } from '../../src/db/ledger/archives.ts';
import { readPartnerMonth } from '../../src/db/ledger/monthly-statements.ts';
import { LANES } from '../compare.ts';
import { type BenchCall, type Calls, type LoadResult, runLoad } from '../run-load.ts';
import { codeIn, eventsNumbered, messagesSettled } from '../voucher-lives.ts';
import { addDueVouchers } from './due-vouchers.ts';
import { AMOUNT, anyVoucher, ownerOf, voucherCodeOf } from './history.ts';
import type { Side } from './side.ts';

/** What is measured of a side, in the order of a round. */
export interface GrowthStep {
  readonly title: string;
  /** Calls have rates; a scheduled run has only a time. */
  readonly kind: 'calls' | 'run';
  /** The greatest median of the subject in seconds; where it is given, the line does not compare the sides. */
  readonly mostSeconds?: number;
  /** Turns of each side in a round; 1 unless given. */
  readonly turns?: number;
  measure(side: Side, count: number, signal: AbortSignal): Promise<LoadResult>;
}

/** Rounds of calls end by their number. */
const NO_LIMIT_SECONDS = 3_600;
/** What a scheduled run finds to do. */
const DUE_VOUCHERS = 2_000;
/** Reads are quick: in several short turns, a disturbance of the machine affects both sides. */
const READ_TURNS = 4;
/**
 * With more reads in flight the process is saturated: the slowest hundredth are then those that wait for its
 * garbage collection, all lanes at once, whatever they ask for.
 */
const READ_LANES = 5;
/** So many times as many reads as other calls in a turn. */
const READS_PER_CALL = 2;

const load = (calls: Calls, count: number, signal: AbortSignal): Promise<LoadResult> =>
  runLoad({ calls, lanes: LANES, seconds: NO_LIMIT_SECONDS, count, signal });

/** A step of reads, whose connections are open. */
const reads = (title: string, callOf: (side: Side) => BenchCall): GrowthStep => ({
  title,
  kind: 'calls',
  turns: READ_TURNS,
  measure: (side, count, signal) =>
    runLoad({
      calls: () => callOf(side),
      lanes: READ_LANES,
      seconds: NO_LIMIT_SECONDS,
      count: count * READS_PER_CALL,
      opensFirst: true,
      signal,
    }),
});

const generate: GrowthStep = {
  title: 'generate-voucher',
  kind: 'calls',
  measure: (side, count, signal) =>
    load(
      () =>
        side.ofPartner('/topup-transactions/generate-voucher', {
          denominationId: side.partner.denominations[AMOUNT],
          merchantId: side.merchant.id,
          msisdn: '0911234567',
        }),
      count,
      signal,
    ),
};

const claim: GrowthStep = {
  title: 'initiate-claim',
  kind: 'calls',
  async measure(side, count, signal) {
    const drawn = Array.from({ length: count }, side.drawActive);
    let next = 0;
    const result = await load(
      () =>
        side.signed('/topup-transactions/initiate-claim', {
          voucherCode: voucherCodeOf(drawn[next++] ?? 0),
        }),
      count,
      signal,
    );
    await messagesSettled(side.service);
    // At once: the other side's owners have the same numbers.
    for (const number of drawn)
      side.claimed.push({
        voucherCode: voucherCodeOf(number),
        verificationCode: await readCode(side, ownerOf(number)),
      });
    return result;
  },
};

const redeem: GrowthStep = {
  title: 'redeem-gift',
  kind: 'calls',
  async measure(side, _count, signal) {
    const claimed = side.claimed.splice(0);
    let next = 0;
    const result = await load(
      () => side.signed('/topup-transactions/redeem-gift', claimed[next++] ?? {}),
      claimed.length,
      signal,
    );
    await messagesSettled(side.service);
    return result;
  },
};

async function readCode({ sandboxUrl }: Side, owner: string): Promise<string> {
  const answer = await fetch(`${sandboxUrl}/messages?to=${encodeURIComponent(owner)}`, {
    headers: { Accept: 'application/json' },
  });
  return codeIn(await answer.json());
}

const detail = reads('voucher detail', (side) =>
  side.ofMerchant(`/topup-transactions/${voucherCodeOf(anyVoucher(side.vouchers))}`),
);

const balance = reads('balance', (side) => side.ofPartner('/info/get-current-balance'));

const vouchersPage = reads('first page of vouchers', (side) => side.ofPartner('/vouchers'));

const runExpiry: GrowthStep = {
  title: `expiry run that expires ${DUE_VOUCHERS} vouchers`,
  kind: 'run',
  async measure(side) {
    await addDueVouchers(side, DUE_VOUCHERS);
    const result = await timeOf(() => runWorkflow(side, 'expireVouchers'));
    await requireNoneDue(side);
    await eventsNumbered(side.service);
    return result;
  },
};

const reconciliation: GrowthStep = {
  title: 'reconciliation of a round',
  kind: 'run',
  measure: (side) => timeOf(() => runWorkflow(side, 'reconcile')),
};

/** A month that is archived after 18 months, of the partner that owns most of the history. */
export const oldStatement: GrowthStep = {
  title: "a partner's statement of two years ago",
  kind: 'run',
  mostSeconds: 2,
  measure: ({ service, partner }) =>
    timeOf(async () => {
      const month = firstMonthKept(new Date(), 24);
      const zone = 'Africa/Addis_Ababa';
      const { sections } = await readPartnerMonth(service.database, partner.id, { month, zone });
      if (sections.every(({ lines }) => lines.length === 0))
        throw new Error(`The history has nothing in ${month}`);
    }),
};

export const growthSteps: readonly GrowthStep[] = [
  generate,
  claim,
  redeem,
  detail,
  balance,
  vouchersPage,
  runExpiry,
  reconciliation,
];

const runWorkflow = ({ temporal, service }: Side, type: string): Promise<unknown> =>
  temporal.workflow.execute(type, {
    taskQueue: service.config.temporal.temporalTaskQueue,
    workflowId: `bench-${type}-${randomUUID()}`,
  });

async function timeOf(run: () => Promise<unknown>): Promise<LoadResult> {
  const startedAt = performance.now();
  await run();
  const milliseconds = performance.now() - startedAt;
  return { rate: 1_000 / milliseconds, milliseconds: [milliseconds] };
}

async function requireNoneDue({ service }: Side): Promise<void> {
  const { rows } = await sql`
    select from vouchers where status = 'ACTIVE' and expires_at <= (select clock_timestamp()) limit 1
  `.execute(service.database);
  if (rows.length > 0) throw new Error('The expiry run has left due vouchers');
}
