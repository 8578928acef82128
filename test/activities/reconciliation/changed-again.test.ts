import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compareFile } from '../../../activities/provider-statements/compare-statement.ts';
import { findBrokenInvariants } from '../../../src/db/ledger/invariants.ts';
import { breaksOfDay } from '../../../src/db/provider-statements/breaks.ts';
import type { StoredLine } from '../../../src/db/provider-statements/statement-lines.ts';
import { listOpenCases } from '../../../src/db/reconciliation/cases.ts';
import { requestInquiry } from '../../../src/db/reconciliation/refusal-inquiries.ts';
import type { Day } from '../../../src/domain/reports/day-report.ts';
import type { ProviderInquiry } from '../../../src/providers/outcome.ts';
import { topUp } from '../../admin/movements.ts';
import {
  delivered,
  inAttempt,
  openTwoProviders,
  refused,
  type TwoProviders,
} from '../providers/two-providers.ts';

/**
 * A provider that has changed its word once, which is booked, changes it once more: or it never did what an operator
 * was told when the case was settled. Nothing is booked a second time, and somebody sees it.
 */
let two: TwoProviders;

beforeAll(async () => {
  two = await openTwoProviders();
});
afterAll(async () => {
  expect(await findBrokenInvariants(two.scene.database)).toEqual([]);
  await two?.scene.close();
});
beforeEach(() => two.reset());

const silent: ProviderInquiry = { kind: 'unknown', message: 'no answer' };
const takenBack = { ...delivered, reversal: 'taken back' } as const;
const reconcile = () => inAttempt(1, () => two.activities().recheckDue());

/** A top-up that ended so, and of which its provider says something else since. */
async function changed(ending: 'SUCCESS' | 'FAILED') {
  const { scene, catalogue } = two;
  const topupId = await topUp(scene.database, catalogue.partnerId, '50', { ending });
  const { operation_id: operationId, reference } = await scene.database
    .selectFrom('topup_attempts')
    .select(['operation_id', 'reference'])
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  const one = { topupId, operationId, reference };
  await says(one, ending === 'SUCCESS' ? takenBack : delivered);
  return one;
}
type Changed = Awaited<ReturnType<typeof changed>>;

/** The provider calls back, and says this when it is asked. */
async function says({ operationId }: Changed, answer: ProviderInquiry): Promise<void> {
  two.found.first = answer;
  await requestInquiry(two.scene.database, { kind: 'topup', operationId }, 259_200);
  await reconcile();
}

const settle = async (what: string) => {
  const { code, err } = await two.scene.admin([...`settle ${what} --note`.split(' '), 'agreed']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
};
const settleChange = ({ reference }: Changed, ending: 'SUCCESS' | 'FAILED', party: string) =>
  settle(
    ending === 'SUCCESS'
      ? `reversal ${reference} --to ${party}`
      : `late-success ${reference} --by ${party}`,
  );

const casesOf = async ({ reference }: Changed) =>
  (await listOpenCases(two.scene.database))
    .filter((one) => one.reference === reference)
    .map(({ kind }) => kind)
    .sort();

const movedFor = async ({ operationId }: Changed) =>
  (
    await two.scene.database
      .selectFrom('ledger_transfers')
      .select('step')
      .where('operation_id', '=', operationId)
      .execute()
  ).length;

const change = ({ operationId }: Changed, to: Record<string, RawBuilder<Date>>) =>
  two.scene.database
    .updateTable('topup_attempts')
    .set(to)
    .where('operation_id', '=', operationId)
    .execute();

/** It is due, and its provider says this. */
async function asked(one: Changed, answer: ProviderInquiry): Promise<void> {
  two.found.first = answer;
  await change(one, { recheck_at: sql<Date>`now()` });
  await reconcile();
}

/** Null where it is not asked about any more. */
async function hoursUntilAsked({ operationId }: Changed): Promise<number | null> {
  const { hours } = await two.scene.database
    .selectFrom('topup_attempts')
    .select(sql<number | null>`extract(epoch from recheck_at - now())::float8 / 3600`.as('hours'))
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  return hours;
}

/** What it says when it changes its word once more. */
const once = { SUCCESS: delivered, FAILED: takenBack } as const;
/** What it said before. */
const before = { SUCCESS: takenBack, FAILED: delivered } as const;

describe.each(['SUCCESS', 'FAILED'] as const)('a top-up that was %s at first', (ending) => {
  const kind = ending === 'SUCCESS' ? 'reversal' : 'late-success';

  it.each(['partner', 'platform'])(
    'and changes again after the %s has settled it',
    async (party) => {
      const one = await changed(ending);
      await settleChange(one, ending, party);
      await says(one, before[ending]);
      expect(await casesOf(one)).toEqual([]);
      const moved = await movedFor(one);
      await says(one, once[ending]);
      expect(await casesOf(one)).toEqual(['disagreement']);
      expect(await movedFor(one)).toBe(moved);
      await settle(`disagreement ${one.reference}`);
      expect(await casesOf(one)).toEqual([]);
    },
  );

  it('and changes again while that is a case, which its settlement ends', async () => {
    const one = await changed(ending);
    await says(one, once[ending]);
    expect(await casesOf(one)).toEqual(['disagreement', kind].sort());
    await settleChange(one, ending, 'provider');
    await reconcile();
    expect(await casesOf(one)).toEqual([]);
  });

  it('and was settled with the provider, which did nothing of the kind', async () => {
    const one = await changed(ending);
    await settleChange(one, ending, 'provider');
    // The next reconciliation asks, without a callback.
    await reconcile();
    expect(await casesOf(one)).toEqual(['disagreement']);
    // It does it later.
    await says(one, once[ending]);
    expect(await casesOf(one)).toEqual([]);
    await says(one, before[ending]);
    expect(await casesOf(one)).toEqual(['disagreement']);
  });

  it('and changes again after the watch, and is asked about until both agree', async () => {
    const one = await changed(ending);
    await change(one, { settled_at: sql<Date>`now() - interval '30 days'` });
    await asked(one, once[ending]);
    expect(await casesOf(one)).toEqual(['disagreement', kind].sort());
    expect(await hoursUntilAsked(one)).toBeCloseTo(24, 1);
    // Its silence ends nothing.
    await asked(one, silent);
    expect(await hoursUntilAsked(one)).toBeCloseTo(24, 1);
    await asked(one, before[ending]);
    expect(await casesOf(one)).toEqual([kind]);
    expect(await hoursUntilAsked(one)).toBeNull();
  });

  it('and says nothing at first when that was settled with it after the watch', async () => {
    const one = await changed(ending);
    await change(one, { settled_at: sql<Date>`now() - interval '30 days'` });
    await settleChange(one, ending, 'provider');
    two.found.first = silent;
    await reconcile();
    expect(await hoursUntilAsked(one)).toBeCloseTo(1, 1);
    await asked(one, before[ending]);
    expect(await casesOf(one)).toEqual(['disagreement']);
    // It does what it has promised, without a callback.
    await asked(one, once[ending]);
    expect(await casesOf(one)).toEqual([]);
    expect(await hoursUntilAsked(one)).toBeNull();
  });

  it('is asked about once more a day later, and silence is no change', async () => {
    const one = await changed(ending);
    expect(await hoursUntilAsked(one)).toBeCloseTo(24, 1);
    await says(one, silent);
    await says(one, { kind: 'never-seen' });
    expect(await casesOf(one)).toEqual([kind]);
  });
});

it('a late delivery that the provider refuses again is taken back', async () => {
  const one = await changed('FAILED');
  await settleChange(one, 'FAILED', 'partner');
  await says(one, refused(false));
  expect(await casesOf(one)).toEqual(['disagreement']);
});

it.each(['reversed', 'failed'] as const)(
  'a late delivery that its partner has paid is a break where the statement has it as %s',
  async (status) => {
    const one = await changed('FAILED');
    await settleChange(one, 'FAILED', 'partner');
    const at = new Date();
    const provider = { name: 'dt-one', kind: 'airtime' } as const;
    const of = { provider, day: at.toJSON().slice(0, 10) as Day, zone: 'UTC' };
    const line: StoredLine = {
      ...({
        kind: 'top-up',
        providerReference: 'P-1',
        reference: one.reference,
        status,
        at,
      } as const),
      ...{ amount: '50', currency: 'ETB', fee: null, feeCurrency: null },
    };
    const settings = { marginSeconds: 1_800, patienceDays: 100_000, maximumBreaks: 1_000 };
    const compared = async (said: StoredLine['status']) => {
      await compareFile(two.scene.database, of, [{ ...line, status: said }], settings);
      return (
        await breaksOfDay(two.scene.database, 'dt-one', of.day, { includeEnded: false })
      ).filter(({ reference }) => reference === one.reference);
    };
    expect(await compared('completed')).toEqual([]);
    const type = status === 'failed' ? 'missing-there' : 'reversed';
    expect(await compared(status)).toMatchObject([{ type }]);
    // The comparison has asked for an inquiry, and asks again as long as the break is open.
    two.found.first = takenBack;
    await reconcile();
    expect(await casesOf(one)).toEqual(['disagreement']);
    await settle(`disagreement ${one.reference}`);
    const [found] = await compared(status);
    await reconcile();
    expect(await casesOf(one)).toEqual(['disagreement']);
    await settle(`break ${found?.id}`);
    await settle(`disagreement ${one.reference}`);
    expect(await compared(status)).toEqual([]);
    await reconcile();
    expect(await casesOf(one)).toEqual([]);
  },
);
