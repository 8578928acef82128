import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBrokenInvariants } from '../../../src/db/ledger/invariants.ts';
import { listOpenCases } from '../../../src/db/reconciliation/cases.ts';
import { requestInquiry } from '../../../src/db/reconciliation/refusal-inquiries.ts';
import { topupTruth } from '../../../src/db/topups/topup-state.ts';
import {
  delivered,
  inAttempt,
  openTwoProviders,
  refused,
  type TwoProviders,
} from '../providers/two-providers.ts';
import { type FailedOver, failedOverTo } from './failed-over.ts';

/**
 * One provider does a top-up beside another one, which takes its own delivery back, or refuses: who has it, who has
 * paid, and whether it may be sent once more, in whatever order that is found and settled.
 */
let two: TwoProviders;
let on: FailedOver;

beforeAll(async () => {
  two = await openTwoProviders();
  on = failedOverTo(two);
});
afterAll(async () => {
  expect(await findBrokenInvariants(two.scene.database)).toEqual([]);
  await two?.scene.close();
});
beforeEach(() => two.reset());

const takenBack = { ...delivered, reversal: 'taken back' } as const;

type Made = Awaited<ReturnType<FailedOver['failedOverTopUp']>>;

/** The second one delivers it. */
async function deliveredBySecond(): Promise<Made> {
  const made = await on.failedOverTopUp();
  const words = { providerReference: 'P-2', message: 'delivered', isReversed: false };
  await inAttempt(1, () => two.activities().postTopUp(made.operationId, words));
  return made;
}

/** The provider of the row calls back, and the reconciliation runs. */
async function calledBack({ operationId }: Made): Promise<void> {
  await requestInquiry(two.scene.database, { kind: 'topup', operationId }, 259_200);
  await on.reconcile();
}

async function takenBackBySecond(made: Made): Promise<void> {
  two.found.second = takenBack;
  await calledBack(made);
}

async function doneByFirst({ operationId }: Made): Promise<void> {
  two.found.first = delivered;
  await on.calledBack(operationId, 'dt-one');
}

const settle = async (what: string, note = 'agreed') => {
  const { code, err, out } = await two.scene.admin([...`settle ${what} --note`.split(' '), note]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};
/** What people read of the cases: our words, by their kinds. */
const wordsOf = async ({ reference }: Made) =>
  Object.fromEntries(
    (await listOpenCases(two.scene.database))
      .filter((one) => one.references.includes(reference))
      .map(({ kind, words }) => [kind, words]),
  );

const settleReversal = ({ reference }: Made, to: string) =>
  settle(`reversal ${reference} --to ${to}`);
const settleDouble = ({ reference }: Made, by: string, provider = 'dt-one') =>
  settle(`double-delivery ${reference}:${provider} --by ${by}`);

/** What its partner is told. */
async function told({ topupId }: Made) {
  const { rows } = await sql<{
    status: string;
    charged: boolean;
    late_delivery: { is_settled: boolean } | null;
  }>`select status, ${topupTruth} from topups where id = ${topupId}`.execute(two.scene.database);
  const [row] = rows;
  return row && { status: row.status, charged: row.charged, late: row.late_delivery?.is_settled };
}

/** Of an account of the platform: what it got less what it gave. */
async function balanceOf(kind: string): Promise<number> {
  const { rows } = await sql<{ balance: number }>`
    select coalesce(sum(case when credit.kind = ${kind} then amount when debit.kind = ${kind} then -amount
      else 0 end), 0)::float8 as balance
    from ledger_transfers
    join ledger_accounts as debit on debit.id = debit_account_id
    join ledger_accounts as credit on credit.id = credit_account_id`.execute(two.scene.database);
  return rows[0]?.balance ?? Number.NaN;
}

describe('a top-up that two providers delivered and the second one took back', () => {
  it.each([
    ['partner', { status: 'SUCCESS', charged: true, late: true }],
    ['platform', { status: 'SUCCESS', charged: false, late: true }],
    ['provider', { status: 'FAILED', charged: false, late: undefined }],
  ] as const)(
    'stays delivered when its partner has the money back, until the %s bears the first one',
    async (by, settled) => {
      const made = await deliveredBySecond();
      await doneByFirst(made);
      await takenBackBySecond(made);
      expect((await on.casesOf(made.reference)).sort()).toEqual([
        'double-delivery at dt-one: 50',
        'reversal at reloadly: 50',
      ]);
      expect(await wordsOf(made)).toEqual({
        'double-delivery': expect.stringContaining('settle both with the platform'),
        reversal: expect.stringMatching(/^dt-one has done it, too.*settle both with the platform/),
      });
      expect(await settleReversal(made, 'partner')).toContain(
        'the top-up stays delivered, because dt-one did it, too',
      );
      // The customer has it from the first one: it is not sent once more.
      expect(await told(made)).toEqual({ status: 'SUCCESS', charged: false, late: false });
      await settleDouble(made, by);
      expect(await told(made)).toEqual(settled);
      expect(await on.casesOf(made.reference)).toEqual([]);
    },
  );

  it('is charged once where both are settled with the platform', async () => {
    const made = await deliveredBySecond();
    await takenBackBySecond(made);
    await doneByFirst(made);
    const suspense = await balanceOf('suspense');
    const fees = await balanceOf('service-fees');
    await settleReversal(made, 'platform');
    await settleDouble(made, 'platform');
    expect(await told(made)).toEqual({ status: 'SUCCESS', charged: true, late: undefined });
    expect([await balanceOf('suspense'), await balanceOf('service-fees')]).toEqual([
      suspense,
      fees,
    ]);
    expect(await wordsOf(made)).toEqual({});
  });

  it('is delivered again when the first one is found after its partner has the money back', async () => {
    const made = await deliveredBySecond();
    await takenBackBySecond(made);
    await settleReversal(made, 'partner');
    expect(await told(made)).toEqual({ status: 'FAILED', charged: false, late: undefined });
    await doneByFirst(made);
    expect(await told(made)).toEqual({ status: 'SUCCESS', charged: false, late: false });
    await settleDouble(made, 'partner');
    expect(await told(made)).toEqual({ status: 'SUCCESS', charged: true, late: true });
  });
});

it('a top-up that the first one took back, and the second one delivered after it had refused, is delivered', async () => {
  const made = await on.failedOverTopUp();
  await inAttempt(1, () => two.activities().voidTopUp(made.operationId, 'no', 'provider'));
  await doneByFirst(made);
  await settle(`late-success ${made.reference} --by provider`);
  expect(await told(made)).toEqual({ status: 'FAILED', charged: false, late: undefined });
  two.found.first = refused(false);
  two.found.second = delivered;
  await on.calledBack(made.operationId, 'reloadly');
  expect(await told(made)).toEqual({ status: 'SUCCESS', charged: false, late: false });
  await settleDouble(made, 'platform', 'reloadly');
  expect(await told(made)).toEqual({ status: 'SUCCESS', charged: false, late: true });
});
