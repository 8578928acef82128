import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeposit } from '../../../src/db/ledger/deposits.ts';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import type { RepairRow } from '../../../src/db/repairs/repairs.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { makePartner, type TestPartner } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { consent } from './repair-desk.ts';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/** Nobody moves value of the limit within a day without a second person, in however many parts. */
let scene: RepairScene;
let partners: readonly TestPartner[];

beforeAll(async () => {
  scene = await setRepairScene({
    REPAIR_CONFIRM_FROM: '400',
    CALLER_WAIT_SECONDS: '2',
    TOPUP_RETRY_WINDOW_SECONDS: '3600',
  });
  await scene.addServiceFees('100000');
  partners = await Promise.all(Array.from({ length: 6 }, () => makePartner(scene.stack)));
});
afterAll(() => scene?.stop());

/** A person of the service who has moved nothing yet. */
const newAsker = async () => staffActor(await scene.staff('OPERATOR'));
const newPartner = async () => (await makePartner(scene.stack)).id;

const goodwill = (amount: number | string) => ({
  wallet: 'gift',
  amount: String(amount),
  reference: `TICKET-${randomUUID()}`,
});

/** Where each comes to rest: ended, or waiting for a second person. */
const resting = (rows: readonly RepairRow[]): Promise<RepairRow[]> =>
  until(async () => {
    const found = await Promise.all(rows.map(({ id }) => findRepair(scene.stack.database, id)));
    expect(found.map((row) => row?.state)).not.toContain('READY');
    expect(found.map((row) => row?.state)).not.toContain('RUNNING');
    return found.flatMap((row) => row ?? []);
  });

const statesOf = async (rows: readonly RepairRow[]) =>
  (await resting(rows)).map(({ state }) => state).sort();

describe('the limit itself', () => {
  it.each([
    ['399.99', 'DONE'],
    ['400', 'ASKED'],
  ])('of %s is %s', async (amount, state) => {
    const actor = await newAsker();
    const id = await newPartner();
    const row = await scene.asked('credit-goodwill', id, goodwill(amount), { actor });
    expect(await statesOf([row])).toEqual([state]);
  });
});

describe('goodwill in parts', () => {
  it('of parallel asks only less than the limit passes alone', async () => {
    const actor = await newAsker();
    const rows = await Promise.all(
      partners.map(({ id }) => scene.asked('credit-goodwill', id, goodwill(100), { actor })),
    );
    expect(rows.filter((row) => !row.needs_confirmation)).toHaveLength(3);
    expect(await statesOf(rows)).toEqual(['ASKED', 'ASKED', 'ASKED', 'DONE', 'DONE', 'DONE']);
  });

  it('and also of those that pass the edge, when they are carried out', async () => {
    const actor = await newAsker();
    const ids = await Promise.all(partners.map(newPartner));
    const rows = await Promise.all(
      ids.map((id) => scene.written('credit-goodwill', id, goodwill(100), { actor })),
    );
    expect(await statesOf(rows)).toEqual(['ASKED', 'ASKED', 'ASKED', 'DONE', 'DONE', 'DONE']);
  });

  it('all names of the command line are one asker, who cannot be confirmed', async () => {
    const names = partners.map((_partner, index) => `name-${index}`);
    const asked = await Promise.all(
      names.map(async (actor) =>
        scene.ask('credit-goodwill', await newPartner(), goodwill(100), { actor }),
      ),
    );
    const rows = asked.flatMap((one) => (one.kind === 'refused' ? [] : one.row));
    expect(rows).toHaveLength(3);
    expect(asked.find((one) => one.kind === 'refused')).toMatchObject({
      refusal: expect.stringContaining('ask at /support'),
    });
    const past = await scene.written('credit-goodwill', await newPartner(), goodwill(100), {
      actor: 'another',
    });
    expect(await statesOf([...rows, past])).toEqual(['DONE', 'DONE', 'DONE', 'REFUSED']);
  });

  it('to one partner counts by all askers, to another one it does not', async () => {
    const id = await newPartner();
    const first = await scene.asked('credit-goodwill', id, goodwill(300), {
      actor: await newAsker(),
    });
    scene.expectDone(await scene.ended(first.id));
    const actor = await newAsker();
    const second = await scene.asked('credit-goodwill', id, goodwill(100), { actor });
    expect(second.state).toBe('ASKED');
    const other = await scene.asked('credit-goodwill', await newPartner(), goodwill(101), {
      actor,
    });
    scene.expectDone(await scene.ended(other.id));
  });

  it('counts for 24 hours, and only where no second person confirmed it', async () => {
    const actor = await newAsker();
    const give = async (amount: number) =>
      scene.asked('credit-goodwill', await newPartner(), goodwill(amount), { actor });
    const confirmed = await give(400);
    expect(await scene.confirm(confirmed.id, await scene.staff('SUPERVISOR'))).toBe(true);
    scene.expectDone(await scene.ended(confirmed.id));
    const alone = await give(399);
    scene.expectDone(await scene.ended(alone.id));
    expect((await give(1)).state).toBe('ASKED');
    await sql`update repairs set asked_at = asked_at - interval '24 hours' where id = ${alone.id}`.execute(
      scene.stack.database,
    );
    scene.expectDone(await scene.ended((await give(1)).id));
  });
});

describe('after nearly all of the limit', () => {
  /** Asks by somebody who has moved nearly all of the limit. */
  async function askedAfter(
    moved: number,
    ...[kind, id, args]: Parameters<RepairScene['ask']>
  ): Promise<RepairRow> {
    const actor = await newAsker();
    const before = await scene.asked('credit-goodwill', await newPartner(), goodwill(moved), {
      actor,
    });
    scene.expectDone(await scene.ended(before.id));
    return scene.asked(kind, id, args, { actor });
  }

  const decided = (outcome: 'done' | 'not-done') => ({ outcome, reference: randomUUID() });
  const redemptionIn = async (state: 'paying' | 'redeemed') =>
    (await scene.redemptionOf((await scene.voucherIn(state)).gift)).id;
  async function deposited(): Promise<string> {
    const reference = `CBE-${randomUUID()}`;
    const made = { partnerId: scene.partner.id, wallet: 'gift', amount: parseMoney('50') } as const;
    await scene.stack.database
      .transaction()
      .execute((transaction) => addDeposit(transaction, { ...made, reference }));
    return reference;
  }
  type Subject = () => Promise<string | number>;

  it.concurrent.each<[string, Subject, () => Record<string, string>]>([
    ['cancel-voucher', async () => (await scene.gift()).id, () => ({})],
    ['settle-payment', () => redemptionIn('paying'), () => decided('done')],
    ['settle-payment', () => redemptionIn('paying'), () => decided('not-done')],
    ['reverse-redemption', () => redemptionIn('redeemed'), () => consent],
    ['settle-top-up', () => scene.topupIn('UNKNOWN'), () => decided('done')],
    ['retry-top-up', () => scene.topupIn('FAILED'), () => ({ msisdn: scene.number() })],
    ['correct-deposit', deposited, () => ({ amount: '0' })],
  ])('%s moves value, and counts', async (kind, subject, args) => {
    expect((await askedAfter(350, kind, await subject(), args())).state).toBe('ASKED');
  });

  it.concurrent.each<[string, Subject, () => Record<string, string>]>([
    ['retry-top-up', () => scene.topupIn('FAILED'), () => ({})],
    ['extend-voucher', dueVoucher, () => ({ until: inHundredDays() })],
    ['resend-message', async () => (await scene.voucherIn('claimed')).gift.id, () => ({})],
  ])('%s moves no value, and does not', async (kind, subject, args) => {
    expect((await askedAfter(390, kind, await subject(), args())).state).toBe('READY');
  });

  async function dueVoucher(): Promise<number> {
    const gift = await scene.gift();
    await scene.expire(gift, 30);
    return gift.id;
  }
});

const inHundredDays = (): string =>
  new Date(Date.now() + 100 * 86_400_000).toISOString().slice(0, 10);

describe.concurrent('after an attempt that was settled by hand as not delivered', () => {
  it('a retry to another number always needs two people', async () => {
    const id = await scene.topupIn('UNKNOWN');
    const decided = { outcome: 'not-done', reference: 'LETTER-1' };
    scene.expectDone(await scene.repaired('settle-top-up', id, decided));
    const other = { msisdn: scene.number() };
    const actor = await newAsker();
    const row = await scene.asked('retry-top-up', id, other, { actor });
    expect(row.state).toBe('ASKED');
    expect(await scene.topup(id)).toMatchObject({ status: 'FAILED', attempt: 1 });
    expect(await scene.confirm(row.id, await scene.staff('SUPERVISOR'))).toBe(true);
    scene.expectDone(await scene.ended(row.id));
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 2 });
  });

  it('a retry to the same number does not', async () => {
    const id = await scene.topupIn('UNKNOWN');
    const decided = { outcome: 'not-done', reference: 'LETTER-2' };
    scene.expectDone(await scene.repaired('settle-top-up', id, decided));
    const row = await scene.asked('retry-top-up', id, {}, { actor: await newAsker() });
    expect(row.needs_confirmation).toBe(false);
  });
});
