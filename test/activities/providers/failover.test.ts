import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createSettlementActivities } from '../../../activities/repairs.ts';
import { paymentFacts } from '../../../src/db/repairs/facts.ts';
import { markAttemptUnknown } from '../../../src/db/topups/attempts.ts';
import { findVoucherDetail } from '../../../src/db/vouchers/vouchers.ts';
import { askAbout } from '../../../src/pages/staff/next-steps.ts';
import type { ProviderInquiry, ProviderOutcome } from '../../../src/providers/outcome.ts';
import { HAS_CHANGED } from '../../../src/repairs/repair-kind.ts';
import { redemptions, topup } from '../../admin/movements.ts';
import { atProvider, observe, placementsOf } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import {
  delivered,
  inAttempt,
  notSent,
  openTwoProviders,
  refused,
  type TwoProviders,
  unknown,
} from './two-providers.ts';

/** The second provider is asked where the first certainly did nothing. */
let two: TwoProviders;

beforeAll(async () => {
  two = await openTwoProviders();
});
afterAll(() => two?.scene.close());
beforeEach(() => two.reset());

describe('a payment', () => {
  it('that was not sent goes to the next provider, once', async () => {
    two.answers.first = () => notSent;
    const operationId = await two.hold();
    const told = {
      provider: 'mpesa',
      failovers: [{ from: 'gsma', message: 'no connection' }],
    };
    expect(await two.pay(operationId)).toMatchObject({ kind: 'delivered', asked: told });
    expect(two.asked).toEqual(['first send', 'second send']);
    expect(await two.providerOf(operationId)).toBe('mpesa');
    expect(await two.failoversOf(operationId)).toEqual([
      { from: 'gsma', message: 'no connection' },
    ]);
    const inquiry = await inAttempt(1, () => two.activities().inquirePayment(operationId, 1));
    expect(inquiry).toMatchObject({ asked: told });
    expect(two.asked.at(-1)).toBe('second ask');
    const { database } = two.scene;
    await redemptions(database, two.catalogue).post(operationId);
    const { rows } = await sql`
      select data ->> 'providerReference' as reference from events
      join redemptions on subject = 'redemption:' || redemptions.id
      where operation_id = ${operationId} and type = 'payout.completed'`.execute(database);
    expect(rows).toEqual([{ reference: 'MM-1' }]);
  });

  it.each([
    ['is unknown', () => unknown, {}],
    ['is refused for a reason of its own', () => refused(false), {}],
    ['is refused for a reason of the provider', () => refused(true), {}],
    ['may have been sent before', () => notSent, { isFirst: false }],
    ['is sent again after a crash', () => notSent, { attempt: 2 }],
  ])('that %s goes to nobody else', async (_, first, options) => {
    two.answers.first = first;
    const operationId = await two.hold();
    const outcome = await two.pay(operationId, options);
    expect(outcome.kind).not.toBe('delivered');
    expect(two.asked).toEqual(['first send']);
    expect(await two.providerOf(operationId)).toBe('gsma');
    expect(await two.failoversOf(operationId)).toEqual([]);
  });

  it('that both refuse is refused, and neither is asked again', async () => {
    two.answers = { first: () => notSent, second: () => refused(true) };
    const operationId = await two.hold();
    expect(await two.pay(operationId)).toMatchObject({ kind: 'refused' });
    expect(await two.pay(operationId)).toMatchObject({ kind: 'refused' });
    expect(two.asked).toEqual(['first send', 'second send', 'second send']);
  });

  it('goes to no provider that is out of order', async () => {
    two.answers.first = () => notSent;
    two.unavailable = 'mpesa';
    const operationId = await two.hold();
    expect(await two.pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(two.asked).toEqual(['first send']);
  });

  it('whose worker dies after the switch is asked about where it may have arrived', async () => {
    two.answers.first = () => notSent;
    two.answers.second = () => {
      throw new Error('the worker is gone');
    };
    const operationId = await two.hold();
    await expect(two.pay(operationId)).rejects.toThrow('gone');
    two.answers.second = () => notSent;
    expect(await two.pay(operationId, { attempt: 2 })).toMatchObject({ kind: 'unknown' });
    expect(two.asked).toEqual(['first send', 'second send', 'second send']);
  });

  it('whose worker dies before the switch stays with the first', async () => {
    two.answers.first = () => {
      throw new Error('the worker is gone');
    };
    const operationId = await two.hold();
    await expect(two.pay(operationId)).rejects.toThrow('gone');
    two.answers.first = () => refused(true);
    expect(await two.pay(operationId, { attempt: 2 })).toMatchObject({ kind: 'unknown' });
    expect(two.asked).toEqual(['first send', 'first send']);
    expect(await two.providerOf(operationId)).toBe('gsma');
  });

  it('whose outcome was unknown before its workflow was reset goes to nobody else', async () => {
    const operationId = await two.hold();
    two.answers.first = () => unknown;
    expect(await two.pay(operationId)).toMatchObject({ kind: 'unknown' });
    two.answers.first = () => notSent;
    expect(await two.pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(two.asked).toEqual(['first send', 'first send']);
  });

  it('whose lost attempt goes on beside the next one is sent by one provider', async () => {
    const operationId = await two.hold();
    const sendings: ((outcome: ProviderOutcome) => void)[] = [];
    two.answers.first = () => new Promise((resolve) => sendings.push(resolve));
    const lost = two.pay(operationId);
    await expect.poll(() => sendings).toHaveLength(1);
    const next = two.pay(operationId, { attempt: 2 });
    await expect.poll(() => sendings).toHaveLength(2);
    sendings[0]?.(notSent);
    await lost;
    expect(two.asked).toEqual(['first send', 'first send']);
    sendings[1]?.(delivered);
    expect(await next).toMatchObject({ kind: 'delivered', asked: { provider: 'gsma' } });
    expect(await two.providerOf(operationId)).toBe('gsma');
  });

  it('that the first did after all, while the second leaves it open, is paid once, by the first', async () => {
    two.answers = { first: () => notSent, second: () => unknown };
    const { database } = two.scene;
    const operationId = await two.hold();
    expect(await two.pay(operationId)).toMatchObject({ kind: 'unknown' });
    await database.transaction().execute((transaction) =>
      observe(transaction, operationId, {
        provider: 'gsma',
        said: 'done',
        providerReference: 'MM-1',
      }),
    );
    const inquiry = await inAttempt(1, () => two.activities().inquirePayment(operationId, 1));
    expect(inquiry).toMatchObject({ kind: 'delivered', providerReference: 'MM-1' });
    await redemptions(database, two.catalogue).post(operationId);

    const placements = await placementsOf(database, operationId);
    expect(placements.map(({ provider, said, done }) => [provider, said, Number(done)])).toEqual([
      ['gsma', 'done', 487.5],
      ['mpesa', 'none', 0],
    ]);
    // Whoever asks for it back has to ask the one that did it.
    const { id } = await database
      .selectFrom('redemptions')
      .select('id')
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow();
    expect(await paymentFacts(database, id)).toMatchObject({
      status: 'POSTED',
      provider: 'gsma',
      providerReference: 'MM-1',
      caseId: null,
    });
    expect(await findBrokenInvariants(database)).toEqual([]);
  });

  it.each([
    ['not-done', { kind: 'refused', by: 'staff' }],
    ['done', { kind: 'delivered', by: 'staff', at: 'gsma' }],
  ])(
    'that the second refuses, while the first is not clear, is settled as %s by hand',
    async (outcome, told) => {
      two.answers = { first: () => notSent, second: () => unknown };
      const { database } = two.scene;
      const operationId = await two.hold();
      await two.pay(operationId);
      await database
        .transaction()
        .execute((transaction) =>
          observe(transaction, operationId, { provider: 'gsma', said: 'pending' }),
        );
      two.found.second = { ...refused(false), kind: 'refused' } as ProviderInquiry;
      const inquire = () => inAttempt(1, () => two.activities().inquirePayment(operationId, 1));
      expect(await inquire()).toMatchObject({ kind: 'unknown' });
      const { id, voucher_id } = await database
        .selectFrom('redemptions')
        .select(['id', 'voucher_id'])
        .where('operation_id', '=', operationId)
        .executeTakeFirstOrThrow();
      const shown = await findVoucherDetail(database, voucher_id, 'operator');
      const { toDo, asked } = askAbout(shown?.redemptions[0]?.placements ?? [], 'R-1');
      expect(asked).toEqual(['gsma', 'mpesa']);
      expect(String(toDo)).toBe(
        'Ask GSMA mobile money and M-Pesa, and quote <code>R-1</code>. Book <em>No</em> only when each of them says ' +
          'that it did nothing:',
      );
      await sql`
      insert into repairs (operation_id, request_key, kind, subject_kind, subject_id, arguments, amount,
        moves_value, why, asked_by, needs_confirmation, confirm_until, state, voucher_id)
      values ('repair', 'repair', 'settle-payment', 'redemption', ${String(id)},
        ${JSON.stringify({ outcome, reference: 'LETTER', operationId })}::jsonb, 0, false,
        'TICKET-1', 'hanna', false, now(), 'RUNNING', ${voucher_id})`.execute(database);
      expect(await inquire()).toMatchObject(told);
      await database.deleteFrom('repairs').execute();
      if (outcome === 'not-done') return;
      // The first did it, as the second cannot have.
      await redemptions(database, two.catalogue).post(operationId, { by: 'staff', at: 'gsma' });
      const placements = await placementsOf(database, operationId);
      expect(placements.map(({ provider, said }) => [provider, said])).toEqual([
        ['gsma', 'done'],
        ['mpesa', 'none'],
      ]);
      expect(await findBrokenInvariants(database)).toEqual([]);
    },
  );

  it('of the second provider is not ended by an answer about the first', async () => {
    two.answers = { first: () => notSent, second: () => unknown };
    const { database } = two.scene;
    const operationId = await two.hold();
    await two.pay(operationId);
    two.found.second = { kind: 'unknown', message: 'no answer' };
    const inquire = () => inAttempt(1, () => two.activities().inquirePayment(operationId, 1));
    const decision = { outcome: 'not-done', reference: 'LETTER', operationId, provider: 'gsma' };
    const { rows } = await sql<{ id: number }>`
      insert into repairs (operation_id, request_key, kind, subject_kind, subject_id, arguments, amount,
        moves_value, why, asked_by, needs_confirmation, confirm_until, state)
      values ('of-first', 'of-first', 'settle-payment', 'redemption', '1', ${JSON.stringify(decision)}::jsonb,
        0, false, 'TICKET-1', 'hanna', false, now(), 'RUNNING') returning id`.execute(database);
    const { readSettlement } = createSettlementActivities({
      database,
    } as unknown as ActivityDependencies);
    const ended = () =>
      readSettlement(rows[0]?.id ?? 0, { kind: 'settle', of: 'redemption', operationId });
    expect(await inquire()).toMatchObject({ kind: 'unknown' });
    expect(await ended()).toEqual({ isDone: false, words: HAS_CHANGED });
    await sql`update repairs set arguments = arguments || '{"provider": "mpesa"}'`.execute(
      database,
    );
    expect(await inquire()).toMatchObject({ kind: 'refused', by: 'staff' });
    expect(await ended()).toBeUndefined();
    await database.deleteFrom('repairs').execute();
  });

  it('that has ended meanwhile goes to nobody else', async () => {
    const operationId = await two.hold();
    two.answers.first = () => notSent;
    await redemptions(two.scene.database, two.catalogue).void(operationId);
    expect(await two.pay(operationId)).toMatchObject({ kind: 'not-sent' });
    expect(two.asked).toEqual(['first send']);
  });
});

it('a payment of a provider that is no longer configured stays unknown', async () => {
  const operationId = await two.hold();
  await two.scene.database
    .updateTable('placements')
    .set({ provider: 'removed' })
    .where('operation_id', '=', operationId)
    .execute();
  const inquiry = await inAttempt(1, () => two.activities().inquirePayment(operationId, 1));
  expect(inquiry).toMatchObject({
    kind: 'unknown',
    message: 'The provider removed is no longer configured.',
  });
  expect(two.asked).toEqual([]);
});

it('a top-up whose outcome was unknown goes to nobody else', async () => {
  two.answers.first = () => notSent;
  const topupId = await topup(two.scene.database, two.catalogue.partnerId, '50');
  const { operation_id: operationId } = await two.scene.database
    .selectFrom('topup_attempts')
    .select('operation_id')
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  await markAttemptUnknown(two.scene.database, operationId, 'It gave no answer');
  const outcome = await inAttempt(1, () => two.activities().sendTopup(operationId, 1, true));
  expect(outcome).toMatchObject({ kind: 'not-sent' });
  expect(two.asked).toEqual(['first send']);
});

it('a top-up whose lost attempt goes on beside the next one is sent by one provider', async () => {
  const topupId = await topup(two.scene.database, two.catalogue.partnerId, '50');
  const { operation_id: operationId } = await two.scene.database
    .selectFrom('topup_attempts')
    .select('operation_id')
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  const send = (attempt: number) =>
    inAttempt(attempt, () => two.activities().sendTopup(operationId, 1, true));
  const sendings: ((outcome: ProviderOutcome) => void)[] = [];
  two.answers.first = () => new Promise((resolve) => sendings.push(resolve));
  const lost = send(1);
  await expect.poll(() => sendings).toHaveLength(1);
  const next = send(2);
  await expect.poll(() => sendings).toHaveLength(2);
  sendings[0]?.(notSent);
  await lost;
  sendings[1]?.(delivered);
  expect(await next).toMatchObject({ kind: 'delivered' });
  expect(two.asked).toEqual(['first send', 'first send']);
});

it('a top-up that was not sent goes to the next provider', async () => {
  two.answers.first = () => notSent;
  const topupId = await topup(two.scene.database, two.catalogue.partnerId, '50');
  const find = () =>
    two.scene.database
      .selectFrom('topup_attempts')
      .select('operation_id')
      .select(atProvider('topup_attempts.operation_id'))
      .where('topup_id', '=', topupId)
      .executeTakeFirstOrThrow();
  const { operation_id: operationId } = await find();
  const outcome = await inAttempt(1, () => two.activities().sendTopup(operationId, 1, true));
  expect(outcome).toMatchObject({ kind: 'delivered' });
  expect(two.asked).toEqual(['first send', 'second send']);
  expect(await find()).toMatchObject({ provider: 'reloadly' });
  expect(await two.failoversOf(operationId)).toHaveLength(1);
});
