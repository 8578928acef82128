import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { partnerBalances } from '../../../../src/db/ledger/ledger.ts';
import type { RefusalInquiry } from '../../../../src/db/reconciliation/ended-payments.ts';
import { bookLateSuccess } from '../../../../src/db/reconciliation/late-successes.ts';
import { makeVoucher, redemptions, topUp } from '../../movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeCatalogue,
  openScene,
  statementOf,
} from '../../scene.ts';

/** What providers did although they had refused it: 487.50 paid, or 50 delivered. */
let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

beforeEach(async () => {
  catalogue = await makeCatalogue(scene);
});

const deposit = (wallet: string, amount: number) =>
  scene.json(`deposit --partner ${catalogue.partnerId} --wallet ${wallet} --amount ${amount}`);

const book = (inquiry: RefusalInquiry) =>
  scene.database
    .transaction()
    .execute((transaction) => bookLateSuccess(transaction, inquiry, 'LATE1'));

interface Late {
  readonly reference: string;
  readonly operationId: string;
  readonly what: RegExp;
  readonly wallet: 'gift' | 'airtime';
  readonly clearing: string;
  readonly amount: string;
}

async function latePayment(): Promise<Late> {
  await deposit('gift', 1_000);
  const { id } = await makeVoucher(scene.database, catalogue);
  const redeem = redemptions(scene.database, catalogue);
  const operationId = await redeem.hold(id);
  await redeem.void(operationId);
  await book({ kind: 'redemption', operationId });
  const { payment_reference: reference } = await scene.database
    .selectFrom('redemptions')
    .select('payment_reference')
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  const what = /^payment of redemption .+, voucher \d{18}$/;
  const clearing = 'mobile-money-clearing';
  return { reference, operationId, what, wallet: 'gift', clearing, amount: '487.50' };
}

async function lateTopUp(): Promise<Late> {
  await deposit('airtime', 60);
  const id = await topUp(scene.database, catalogue.partnerId, '50', { ending: 'FAILED' });
  const { operation_id: operationId, reference } = await scene.database
    .selectFrom('topup_attempts')
    .select(['operation_id', 'reference'])
    .where('topup_id', '=', id)
    .executeTakeFirstOrThrow();
  await book({ kind: 'topup', operationId });
  const what = new RegExp(`^top-up ${id}, attempt 1$`);
  const clearing = 'airtime-clearing';
  return { reference, operationId, what, wallet: 'airtime', clearing, amount: '50.00' };
}

/** Credits minus debits of an account of the platform. */
async function standsIn(kind: string): Promise<number> {
  const { rows } = await sql<{ sum: string }>`
    select coalesce(sum(case when credit_account_id = account.id then amount else -amount end), 0)
      as sum
    from ledger_accounts as account
    join ledger_transfers on account.id in (debit_account_id, credit_account_id)
    where account.kind = ${kind}`.execute(scene.database);
  return Number(rows[0]?.sum);
}

const settle = (reference: string, by: string) =>
  scene.admin(['settle', 'late-success', reference, '--by', by, '--note', 'Ticket 4711']);

const isListed = async (reference: string, words = '') => {
  const listed: { reference: string }[] = await scene.json(`list late-successes${words}`);
  return listed.some((late) => late.reference === reference);
};

describe.each([
  ['payment', latePayment],
  ['top-up', lateTopUp],
] as const)('a late %s', (kind, make) => {
  test('is listed until it is settled', async () => {
    const late = await make();
    const found = (await scene.json('list late-successes')).find(
      (one: { reference: string }) => one.reference === late.reference,
    );
    expect(found).toMatchObject({ kind, partnerId: catalogue.partnerId, settledBy: null });
    const { out } = await scene.admin('list late-successes');
    const line = out.split('\n').find((one) => one.includes(late.reference)) ?? '';
    expect(line.split(/ {2,}/)[1]).toMatch(late.what);
    expect(line).toContain(late.amount);
    expect((await settle(late.reference, 'platform')).code).toBe(0);
    expect(await isListed(late.reference)).toBe(false);
    expect(await isListed(late.reference, ' --all')).toBe(true);
  });

  test.each([
    ['partner', (late: Late) => late.wallet],
    ['platform', () => 'service-fees'],
    ['provider', (late: Late) => late.clearing],
  ] as const)('is borne by the %s, once', async (by, accountOf) => {
    const late = await make();
    const account = accountOf(late);
    const walletOf = async () =>
      Number((await partnerBalances(scene.database, catalogue.partnerId))[late.wallet]);
    const isWallet = account === late.wallet;
    const bearing = () => (isWallet ? walletOf() : standsIn(account));
    const [wallet, borne, open] = [await walletOf(), await bearing(), await standsIn('suspense')];

    const { code, out } = await settle(late.reference, by);
    expect(code).toBe(0);
    expect(out).toContain(`Settled ETB ${late.amount} of `);
    expect((await settle(late.reference, by)).out).toContain('nothing was changed');
    expect(await bearing()).toBe(borne - Number(late.amount));
    expect(await standsIn('suspense')).toBe(open + Number(late.amount));
    expect(await walletOf()).toBe(isWallet ? wallet - Number(late.amount) : wallet);
    const audited = (await scene.auditRows()).filter(({ details }) =>
      JSON.stringify(details).includes(late.reference),
    );
    expect(audited).toMatchObject([
      { action: 'settle late-success', details: { by, note: 'Ticket 4711' } },
    ]);
  });

  test('settled one way cannot be settled another', async () => {
    const late = await make();
    await settle(late.reference, 'provider');
    const open = await standsIn('suspense');
    const { code, err } = await settle(late.reference, 'partner');
    expect(code).toBe(1);
    expect(err).toContain('It was settled before, by the provider, and that cannot be undone');
    expect(await standsIn('suspense')).toBe(open);
  });

  test('that the provider has taken back counts as refused again, and is not booked anew', async () => {
    const late = await make();
    const table = kind === 'payment' ? 'redemptions' : 'topup_attempts';
    const isContradicted = async () => {
      const { rows } = await sql<{ is: boolean }>`
        select contradicted_at is not null as is from ${sql.table(table)}
        where operation_id = ${late.operationId}`.execute(scene.database);
      return rows[0]?.is;
    };
    expect(await isContradicted()).toBe(true);
    await settle(late.reference, 'provider');
    expect(await isContradicted()).toBe(false);
    const open = await standsIn('suspense');
    await book({
      kind: kind === 'payment' ? 'redemption' : 'topup',
      operationId: late.operationId,
    });
    expect(await isContradicted()).toBe(false);
    expect(await standsIn('suspense')).toBe(open);
  });

  test('that a wallet does not cover stays as it is', async () => {
    const late = await make();
    await scene.database.transaction().execute(async (transaction) => {
      await sql`
        insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
        select 'empty-' || ${late.operationId}, 'correction', wallet.id, funding.id, wallet.balance
        from ledger_accounts as wallet, ledger_accounts as funding
        where wallet.kind = ${late.wallet} and wallet.partner_id = ${catalogue.partnerId}
          and funding.kind = 'funding'`.execute(transaction);
    });
    const { code, err } = await settle(late.reference, 'partner');
    expect(code).toBe(1);
    expect(err).toContain(`does not cover ETB ${late.amount}: nothing was changed`);
    expect(await isListed(late.reference)).toBe(true);
  });

  test('settled ten times at once is paid once', async () => {
    const late = await make();
    const open = await standsIn('suspense');
    const codes = await Promise.all(
      Array.from({ length: 10 }, () => settle(late.reference, 'partner').then(({ code }) => code)),
    );
    expect(codes).toEqual(Array(10).fill(0));
    expect(await standsIn('suspense')).toBe(open + Number(late.amount));
  });

  test('that the partner pays stands in its statement in words', async () => {
    const late = await make();
    await settle(late.reference, 'partner');
    const { lines } = await statementOf(scene, catalogue.partnerId, late.wallet);
    expect(lines.at(-1)?.explanation).toMatch(/late.*, charged as agreed$/);
    expect(Number(lines.at(-1)?.debit)).toBe(Number(late.amount));
  });
});

test('a reference that is not known is refused', async () => {
  const { code, err } = await settle('unknown', 'platform');
  expect(code).toBe(1);
  expect(err).toContain('There is no late success unknown: see "list late-successes --all"');
});
