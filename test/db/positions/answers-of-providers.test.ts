import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settleOrder } from '../../../src/db/positions/book.ts';
import { findCase } from '../../../src/db/positions/cases.ts';
import { doubt } from '../../../src/db/positions/placements.ts';
import { bookLost } from '../../../src/db/recovery.ts';
import { paymentFacts } from '../../../src/db/repairs/facts.ts';
import { placingReversal } from '../../../src/db/vouchers/reversals.ts';
import type { Bearer } from '../../../src/domain/positions/position.ts';
import { expireAll, makeVoucher, redemptions, topup } from '../../admin/movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeFundedCatalogue,
  openScene,
} from '../../admin/scene.ts';
import { observe, placementsOf, reverse } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';

/** What providers say after their first answer, in whatever order: the books and the cases follow. */
let scene: AdminScene;
let catalogue: Catalogue;
const settings = { reversalWatchSeconds: 0 };

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeFundedCatalogue(scene);
});
afterAll(() => scene?.close());

const redeem = () => redemptions(scene.database, catalogue);

/** A redemption of 500 at a merchant that gets 487.50, and its voucher. */
async function payment(ending: 'post' | 'void' | 'hold') {
  const { id: voucherId } = await makeVoucher(scene.database, catalogue);
  const operationId = await redeem().hold(voucherId);
  if (ending !== 'hold') await redeem()[ending](operationId);
  return { operationId, voucherId };
}

/** An attempt of 50. */
async function attempt(ending: 'SUCCESS' | 'FAILED') {
  const topupId = await topup(scene.database, catalogue.partnerId, '50', { ending });
  const { operation_id: operationId } = await scene.database
    .selectFrom('topup_attempts')
    .select('operation_id')
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  return { operationId, topupId };
}

const says = (operationId: string, ...seen: Parameters<typeof observe>[2][]) =>
  scene.database.transaction().execute(async (transaction) => {
    for (const one of seen) await observe(transaction, operationId, one);
  });

/** The open cases of an order: why, and the amount. */
async function open(operationId: string): Promise<[string, number][]> {
  const { rows } = await sql<{ why: string; amount: number }>`
    select why, amount::float8 from cases where subject = ${operationId} and closed_at is null`.execute(
    scene.database,
  );
  return rows.map(({ why, amount }) => [why, amount]);
}

/** What an operation has moved after its hold. */
async function movesOf(operationId: string): Promise<string[]> {
  const { rows } = await sql<{ move: string }>`
    select concat_ws(' ', step, debit.kind, credit.kind, trim_scale(amount)) as move
    from ledger_transfers
    join ledger_accounts as debit on debit.id = debit_account_id
    join ledger_accounts as credit on credit.id = credit_account_id
    where operation_id = ${operationId} and step <> 'hold' order by ledger_transfers.id`.execute(
    scene.database,
  );
  return rows.map(({ move }) => move);
}

const settle = (operationId: string, by: Bearer | null) =>
  scene.database.transaction().execute(async (transaction) => {
    const { id } = await transaction
      .selectFrom('cases')
      .select('id')
      .where('subject', '=', operationId)
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow();
    const found = await findCase(transaction, id);
    if (!found) throw new Error('The case is gone');
    const choice = { by, partnerId: catalogue.partnerId, actor: 'hanna', note: 'agreed' };
    await settleOrder(transaction, found, choice, settings);
  });

const wallet = async (kind: 'gift' | 'airtime' | 'reserved') => {
  const { rows } = await sql<{ balance: number }>`
    select balance::float8 from ledger_accounts
    where partner_id = ${catalogue.partnerId} and kind = ${kind}`.execute(scene.database);
  return rows[0]?.balance ?? 0;
};

const lose = (reference: string, provider: 'gsma' | 'mpesa', amount = '487.5') =>
  scene.database.transaction().execute((transaction) =>
    bookLost(
      transaction,
      {
        kind: 'payment',
        provider,
        reference,
        amount,
        party: null,
        at: new Date(),
        providerReference: 'MM-1',
        serialNumber: null,
      },
      settings,
    ),
  );

/** A callback of the provider that an order is at. */
async function callsBack(operationId: string) {
  const [placement] = await placementsOf(scene.database, operationId);
  if (!placement) throw new Error('The order was never placed');
  expect(await doubt(scene.database, placement)).toBe(true);
}

const expectOrder = async () => expect(await findBrokenInvariants(scene.database)).toEqual([]);

describe('a late success', () => {
  it('is compared by amount', async () => {
    const { operationId } = await payment('void');
    await says(operationId, { said: 'done', amount: 500_000_000n });
    expect(await open(operationId)).toEqual([['difference', 500]]);
    await expectOrder();
  });

  it('of which an inquiry and a statement tell is booked once', async () => {
    const { operationId } = await payment('void');
    await says(operationId, { said: 'done' }, { said: 'done', source: 'statement' });
    expect(await open(operationId)).toEqual([['difference', 487.5]]);
    await expectOrder();
  });

  it('that changes five times is settled each time, and nobody pays twice', async () => {
    const { operationId } = await payment('void');
    const before = await wallet('gift');
    for (const said of ['done', 'undone', 'done', 'undone', 'done'] as const) {
      await says(operationId, { said });
      const amount = said === 'done' ? 487.5 : -487.5;
      expect(await open(operationId)).toEqual([['difference', amount]]);
      await settle(operationId, 'partner');
      expect(await open(operationId)).toEqual([]);
      expect(await wallet('gift')).toBe(before - (said === 'done' ? 487.5 : 0));
      await expectOrder();
    }
  });

  it('that was settled by its provider, and stays, opens its case again', async () => {
    const { operationId } = await payment('void');
    await says(operationId, { said: 'done' });
    await settle(operationId, 'provider');
    expect(await open(operationId)).toEqual([]);
    await says(operationId, { said: 'done' });
    expect(await open(operationId)).toEqual([['difference', 487.5]]);
    await settle(operationId, 'platform');
    await expectOrder();
  });

  it('ends by itself where the provider takes it back', async () => {
    const { operationId } = await payment('void');
    await says(operationId, { said: 'done' }, { said: 'undone' });
    expect(await open(operationId)).toEqual([]);
    await expectOrder();
  });

  it('is charged to its voucher, or to the partner that its value has gone to', async () => {
    const { operationId, voucherId } = await payment('void');
    await says(operationId, { said: 'done' });
    await settle(operationId, 'payer');
    const { status } = await scene.database
      .selectFrom('vouchers')
      .select('status')
      .where('id', '=', voucherId)
      .executeTakeFirstOrThrow();
    expect(status).toBe('REDEEMED');
    await expectOrder();
  });

  it('keeps its voucher from expiring, and not the settled one', async () => {
    const { operationId, voucherId } = await payment('void');
    await says(operationId, { said: 'done' });
    await sql`update vouchers set expires_at = now() where id = ${voucherId}`.execute(
      scene.database,
    );
    const statusOf = async () => {
      await expireAll(scene.database);
      const { status } = await scene.database
        .selectFrom('vouchers')
        .select('status')
        .where('id', '=', voucherId)
        .executeTakeFirstOrThrow();
      return status;
    };
    expect(await statusOf()).toBe('ACTIVE');
    await settle(operationId, 'platform');
    expect(await statusOf()).toBe('EXPIRED');
    await expectOrder();
  });
});

describe('what was done', () => {
  it('and taken back returns to the voucher, or to the partner of one that has ended', async () => {
    const { operationId, voucherId } = await payment('post');
    await says(operationId, { said: 'undone' });
    await settle(operationId, 'payer');
    expect(
      await scene.database
        .selectFrom('vouchers')
        .select(['status', 'remaining'])
        .where('id', '=', voucherId)
        .executeTakeFirstOrThrow(),
    ).toEqual({ status: 'ACTIVE', remaining: '500.000000' });
    await expectOrder();
    // It does it again, when the value has gone to the partner.
    await sql`update vouchers set expires_at = now() where id = ${voucherId}`.execute(
      scene.database,
    );
    await expireAll(scene.database);
    const before = await wallet('gift');
    await says(operationId, { said: 'done' });
    await settle(operationId, 'partner');
    expect(await wallet('gift')).toBe(before - 487.5);
    await expectOrder();
  });

  it('by a smaller amount leaves a difference, and the whole ends it', async () => {
    const { operationId } = await payment('post');
    await says(operationId, { said: 'done', amount: 400_000_000n });
    expect(await open(operationId)).toEqual([['difference', -87.5]]);
    await says(operationId, { said: 'done' });
    expect(await open(operationId)).toEqual([]);
    await expectOrder();
  });

  it('has another message: a settled one opens no case again, a new one does', async () => {
    const { operationId } = await payment('post');
    const other = (message: string) => says(operationId, { said: 'other', message });
    await other('another payee');
    expect(await open(operationId)).toEqual([['unclear', 0]]);
    await settle(operationId, null);
    await other('another payee');
    expect(await open(operationId)).toEqual([]);
    await other('another currency');
    expect(await open(operationId)).toEqual([['unclear', 0]]);
    await says(operationId, { said: 'done' });
    expect(await open(operationId)).toEqual([]);
    await expectOrder();
  });
});

/** A payment in the ledger, as its record says it. */
const asRecorded = [
  'post-payment gift-hold mobile-money-clearing 487.5',
  'post-service-fee gift-hold service-fees 12.5',
];

it.each([
  ['what was ordered', undefined, []],
  ['more', 500_000_000n, ['adjust-1 suspense mobile-money-clearing 12.5']],
  ['less', 400_000_000n, ['adjust-1 mobile-money-clearing suspense 87.5']],
])('a hold whose provider did %s ends as ordered, and the rest is a change', async (...row) => {
  const [, amount, changes] = row;
  const { operationId } = await payment('hold');
  if (amount !== undefined)
    await says(operationId, {
      said: 'done',
      amount,
      source: 'statement',
      providerReference: 'MM-1',
    });
  await redeem().post(operationId);
  expect(await movesOf(operationId)).toEqual([...asRecorded, ...changes]);
  await expectOrder();
});

describe('a top-up', () => {
  it.each([
    ['FAILED', 'done', 'SUCCESS', 50],
    ['SUCCESS', 'undone', 'SUCCESS', -50],
  ] as const)('that was %s and is %s is %s at once, and charged as settled', async (...row) => {
    const [ending, said, status, amount] = row;
    const { operationId, topupId } = await attempt(ending);
    const before = await wallet('airtime');
    await says(operationId, { said });
    const statusOf = async () =>
      (
        await scene.database
          .selectFrom('topups')
          .select('status')
          .where('id', '=', topupId)
          .executeTakeFirstOrThrow()
      ).status;
    expect([await statusOf(), await open(operationId)]).toEqual([status, [['difference', amount]]]);
    await settle(operationId, 'payer');
    expect(await wallet('airtime')).toBe(before - amount);
    expect(await statusOf()).toBe(said === 'done' ? 'SUCCESS' : 'FAILED');
    await expectOrder();
  });
});

describe('after a restore', () => {
  let reference: string;
  let operationId: string;
  /** The payment of a repeated request, whose placements a restore has left under its reference. */
  const repeat = () =>
    sql`update placements set operation_id = ${operationId} where reference = ${reference}`.execute(
      scene.database,
    );

  beforeEach(async () => {
    ({ operationId } = await payment('hold'));
    const [placement] = await placementsOf(scene.database, operationId);
    reference = placement?.reference ?? '';
    await sql`delete from placements where reference = ${reference}`.execute(scene.database);
  });

  it('a repeated request cannot free the money of a payment that was made', async () => {
    await lose(reference, 'gsma');
    await repeat();
    // Its worker could send nothing.
    await redeem().void(operationId);
    const { status } = await scene.database
      .selectFrom('redemptions')
      .select('status')
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow();
    expect(status).toBe('POSTED');
    expect(await open(operationId)).toEqual([]);
  });

  it('a repeated request books all of its payment, and takes back what was recovered', async () => {
    await lose(reference, 'gsma');
    await repeat();
    await redeem().post(operationId);
    expect(await movesOf(operationId)).toEqual(asRecorded);
    expect(await movesOf(`recovered:${reference}`)).toEqual([
      'adjust-1 suspense mobile-money-clearing 487.5',
      'adjust-2 mobile-money-clearing suspense 487.5',
    ]);
    await expectOrder();
  });

  it('a payment that was not made in the end leaves nothing of what was recovered', async () => {
    await lose(reference, 'gsma');
    await repeat();
    await says(operationId, { said: 'nothing', source: 'statement' });
    await redeem().void(operationId);
    expect(await movesOf(operationId)).toEqual(['void gift-hold reserved 500']);
    expect(await movesOf(`recovered:${reference}`)).toHaveLength(2);
    await expectOrder();
  });

  it('what a partner has borne is not charged once more in silence', async () => {
    await lose(reference, 'gsma');
    await settle(`recovered:${reference}`, 'partner');
    await repeat();
    await redeem().post(operationId);
    expect(await open(operationId)).toEqual([['difference', -487.5]]);
    await settle(operationId, 'partner');
    expect(await open(operationId)).toEqual([]);
  });

  it('two providers that did it are booked for both', async () => {
    await lose(reference, 'gsma');
    await lose(reference, 'mpesa');
    expect(await open(`recovered:${reference}`)).toEqual([['difference', 975]]);
    await repeat();
    await redeem().post(operationId);
    expect(await open(operationId)).toEqual([['difference', 487.5]]);
    await settle(operationId, 'platform');
    await expectOrder();
  });
});

it('an answer that only confirms the books is written to its placement alone', async () => {
  const { operationId } = await payment('post');
  // The provider's first answer after the end may have other words.
  await says(operationId, { said: 'done' });
  const written = async () => {
    const { rows } = await sql<{ order: string; placement: string }>`
      select redemptions.xmin::text as order, placements.xmin::text as placement
      from redemptions join placements using (operation_id)
      where operation_id = ${operationId}`.execute(scene.database);
    return rows[0];
  };
  const before = await written();
  await says(operationId, { said: 'done' });
  const after = await written();
  expect(after?.order).toBe(before?.order);
  expect(after?.placement).not.toBe(before?.placement);
});

it('a reversal is watched since it began, however often its provider confirms it', async () => {
  const { operationId } = await payment('post');
  const [paid] = await placementsOf(scene.database, operationId);
  const reference = randomUUID();
  const place = placingReversal(reference, sql`(select * from placements where id = ${paid?.id})`);
  await place.execute(scene.database);
  await sql`
    update placements set placed_at = now() - interval '30 days' where reference = ${reference}`.execute(
    scene.database,
  );
  await reverse(scene.database, operationId);
  const [, reversal] = await placementsOf(scene.database, operationId);
  expect(reversal).toMatchObject({ said: 'done', ask_at: null });
});

describe('a payment is reversed where', () => {
  /** The provider takes a part of it back. */
  const taken = async (operationId: string, amount: bigint) => {
    const [paid] = await placementsOf(scene.database, operationId);
    const place = placingReversal(
      randomUUID(),
      sql`(select * from placements where id = ${paid?.id})`,
    );
    await place.execute(scene.database);
    await says(operationId, { said: 'done', amount, isOfReversal: true });
  };

  it.each<[string, boolean, (operationId: string) => Promise<unknown>]>([
    ['its provider has paid it', true, async () => undefined],
    ['its provider has taken a part back', false, (id) => taken(id, 100_000_000n)],
    [
      'its provider has paid that part again',
      true,
      async (id) => {
        await taken(id, 100_000_000n);
        await says(id, { said: 'undone', isOfReversal: true });
      },
    ],
    ['its provider has paid less', false, (id) => says(id, { said: 'done', amount: 400_000_000n })],
    ['its provider has paid more', true, (id) => says(id, { said: 'done', amount: 500_000_000n })],
  ])('%s: %s', async (_name, isReturnable, happens) => {
    const { operationId } = await payment('post');
    await happens(operationId);
    if ((await open(operationId)).length > 0) await settle(operationId, 'partner');
    const { id } = await scene.database
      .selectFrom('redemptions')
      .select('id')
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow();
    expect(await paymentFacts(scene.database, id)).toMatchObject({ isPaid: true, isReturnable });
    await expectOrder();
  });
});

describe('a callback around a settlement', () => {
  it.each([
    ['before it', 'partner'],
    ['before it', 'provider'],
    ['at the same time', 'partner'],
    ['at the same time', 'provider'],
    ['after it', 'provider'],
  ] as const)('%s, by %s: the provider is asked at once, and a doubt stays', async (when, by) => {
    const { operationId } = await payment('void');
    await says(operationId, { said: 'done' }, { said: 'undone' }, { said: 'done' });
    if (when === 'before it') await callsBack(operationId);
    await Promise.all([
      settle(operationId, by),
      when === 'at the same time' && callsBack(operationId),
    ]);
    if (when === 'after it') await callsBack(operationId);
    const [placement] = await placementsOf(scene.database, operationId);
    expect(placement?.ask_at?.getTime()).toBeLessThanOrEqual(Date.now());
    expect(placement?.doubted_at).not.toBeNull();
    expect(await open(operationId)).toEqual([]);
  });

  it('that came again for old news lets the provider be asked at once', async () => {
    const { operationId } = await payment('void');
    await says(operationId, { said: 'done' });
    await sql`
      update placements set doubted_at = now() - interval '4 days'
      where operation_id = ${operationId}`.execute(scene.database);
    await callsBack(operationId);
    await settle(operationId, 'partner');
    const [placement] = await placementsOf(scene.database, operationId);
    expect(placement?.ask_at?.getTime()).toBeLessThanOrEqual(Date.now());
    expect(placement?.doubted_at).toBeNull();
  });
});
