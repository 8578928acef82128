import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCases, openCase } from '../../../src/db/positions/cases.ts';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { declineRepair } from '../../../src/db/repairs/repairs.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { HAS_CHANGED } from '../../../src/repairs/repair-kind.ts';
import { until } from '../../support/until.ts';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/** Above an amount one person asks, and another one confirms, in time. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({ REPAIR_CONFIRM_FROM: '400', REPAIR_CONFIRM_SECONDS: '3600' });
});
afterAll(() => scene?.stop());

const stateOf = async (id: number) => (await findRepair(scene.stack.database, id))?.state;

/** A repair that is about more than one person may decide. */
async function asked(actor = scene.asker) {
  const gift = await scene.gift({ denomination: 500 });
  const row = await scene.asked('cancel-voucher', gift.id, {}, { actor });
  expect(row.state).toBe('ASKED');
  return { gift, id: row.id };
}

describe('who confirms', () => {
  it.each(['SUPERVISOR', 'OPERATOR'] as const)('%s may: then it is done', async (role) => {
    const { gift, id } = await asked(staffActor(await scene.staff('AGENT')));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
    const second = await scene.staff(role);
    expect(await scene.confirm(id, second)).toBe(true);
    scene.expectDone(await scene.ended(id));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'CANCELLED' });
    expect(await scene.audited(id)).toContain(`${staffActor(second)}: confirm repair`);
    expect(await scene.confirm(id, await scene.staff(role))).toBe(false);
  });

  it('an agent may not, nor a disabled account, nor the one who asked', async () => {
    const supervisor = await scene.staff('SUPERVISOR');
    const { gift, id } = await asked(staffActor(supervisor));
    const disabled = await scene.staff('SUPERVISOR');
    await sql`update portal_accounts set disabled_at = now() where id = ${disabled}`.execute(
      scene.stack.database,
    );
    for (const who of [await scene.staff('AGENT'), disabled, supervisor, 2_000_000_000])
      expect(await scene.confirm(id, who)).toBe(false);
    expect(await stateOf(id)).toBe('ASKED');
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  });

  it('the database itself refuses one person for both', async () => {
    const { id } = await asked();
    const confirmedBy = (who: string | null) =>
      scene.stack.database
        .updateTable('repairs')
        .set({ state: 'READY', confirmed_by: who })
        .where('id', '=', id)
        .execute();
    await expect(confirmedBy(scene.asker)).rejects.toThrow('repairs_by_two');
    await expect(confirmedBy(null)).rejects.toThrow('repairs_confirmed');
  });

  it('the step that acts refuses a confirmation that does not count any more', async () => {
    const { gift, id } = await asked();
    // Nobody of the service, as somebody would write it who reaches the database.
    await scene.stack.database
      .updateTable('repairs')
      .set({ state: 'READY', confirmed_by: 'staff:2000000000' })
      .where('id', '=', id)
      .execute();
    expect(await scene.ended(id)).toMatchObject({
      state: 'REFUSED',
      result: expect.stringContaining('confirm'),
    });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  });

  it('the step that acts asks for the second person where only the edge was passed', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const row = await scene.written('cancel-voucher', gift.id);
    await until(async () => expect(await stateOf(row.id)).toBe('ASKED'));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
    expect(await scene.confirm(row.id, await scene.staff('SUPERVISOR'))).toBe(true);
    scene.expectDone(await scene.ended(row.id));
  });
});

describe('on the command line', () => {
  it('nobody asks for what needs two people, under any name', async () => {
    const gift = await scene.gift({ denomination: 500 });
    for (const [kind, args] of [
      ['cancel-voucher', {}],
      ['correct-number', { msisdn: '+251911000001' }],
    ] as const)
      expect(await scene.ask(kind, gift.id, args, { actor: 'hanna' })).toMatchObject({
        kind: 'refused',
        refusal: expect.stringContaining('ask at /support'),
      });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  });

  it('one that waits from before cannot be confirmed, because one person may have two names', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const { id } = await scene.written(
      'cancel-voucher',
      gift.id,
      {},
      { actor: 'hanna', isByTwo: true },
    );
    expect(await scene.confirm(id, await scene.staff('OPERATOR'))).toBe(false);
    // As a process of the release before confirms it.
    await scene.stack.database
      .updateTable('repairs')
      .set({ state: 'READY', confirmed_by: staffActor(await scene.staff('OPERATOR')) })
      .where('id', '=', id)
      .execute();
    expect(await scene.ended(id)).toMatchObject({
      state: 'REFUSED',
      result: expect.stringContaining('ask again at /support'),
    });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  });

  it('the step that acts refuses where only the edge was passed', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const { id } = await scene.written('cancel-voucher', gift.id, {}, { actor: 'hanna' });
    expect(await scene.ended(id)).toMatchObject({
      state: 'REFUSED',
      result: expect.stringContaining('ask at /support'),
    });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('before it is confirmed', () => {
  /** As a form does that the person sent while another one took the role away. */
  const declined = (id: number, actor: string): Promise<boolean> =>
    scene.stack.database
      .transaction()
      .execute((transaction) => declineRepair(transaction, id, { actor, why: 'The owner has it' }));

  it.each([
    ['another person', 'Declined', 'decline repair'],
    ['the one who asked', 'Withdrawn', 'withdraw repair'],
  ] as const)('%s ends it with a reason, and nobody can confirm it', async (who, end, action) => {
    const asker = staffActor(await scene.staff('AGENT'));
    const { gift, id } = await asked(asker);
    const actor = who === 'the one who asked' ? asker : staffActor(await scene.staff('SUPERVISOR'));
    expect(await declined(id, staffActor(await scene.staff('AGENT')))).toBe(false);
    expect([await declined(id, actor), await declined(id, actor)]).toEqual([true, false]);
    expect(await scene.ended(id)).toMatchObject({
      state: 'REFUSED',
      result: `${end}: The owner has it`,
    });
    expect(await scene.audited(id)).toContain(`${actor}: ${action}`);
    expect(await scene.confirm(id, await scene.staff('SUPERVISOR'))).toBe(false);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('about a case', () => {
  it.each([
    ['appears', null, 'Another payee under our reference'],
    ['changes', 'ETB 100 are missing', 'ETB 100 and a fee are missing'],
    ['is gone', 'ETB 100 are missing', null],
  ])('it is refused where a message of the provider %s meanwhile', async (what, seen, later) => {
    const { database } = scene.stack;
    const subject = `gsma ${what}`;
    const say = (message: string | null) =>
      openCase(database, {
        ...{ subject_kind: 'balance', subject, why: 'balance', amount: '100', provider: 'gsma' },
        message,
      });
    await say(seen);
    const found = await listCases(database, { includeClosed: false, limit: 100 });
    const id = found.find((one) => one.subject === subject)?.id ?? 0;
    const repair = await scene.asked('settle-case', id, {}, { isByTwo: true });
    await say(later);
    expect(await scene.confirm(repair.id, await scene.staff('SUPERVISOR'))).toBe(true);
    const { state, result } = await scene.ended(repair.id);
    expect([state, result]).toEqual(['REFUSED', HAS_CHANGED]);
  });
});

describe('in time', () => {
  it('it expires when nobody confirms', async () => {
    const { gift, id } = await asked();
    await sql`update repairs set confirm_until = now() - interval '1 second' where id = ${id}`.execute(
      scene.stack.database,
    );
    expect(await scene.ended(id)).toMatchObject({ state: 'EXPIRED' });
    expect(await scene.confirm(id, await scene.staff('SUPERVISOR'))).toBe(false);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
    expect(await scene.audited(id)).toContain('system: expire repair');
  });

  it('it waits as long as the setting says', async () => {
    const { id } = await asked();
    const row = await findRepair(scene.stack.database, id);
    const waits = (row?.confirm_until.getTime() ?? 0) - (row?.asked_at.getTime() ?? 0);
    expect(Math.round(waits / 60_000)).toBe(60);
  });
});

describe('sent twice', () => {
  it('the same form is one repair', async () => {
    const { id } = scene.partner;
    await scene.addServiceFees('10');
    const args = { wallet: 'airtime', amount: '10', reference: randomUUID() };
    const requestKey = randomUUID();
    const rows = await Promise.all(
      [1, 2, 3].map(() => scene.asked('credit-goodwill', id, args, { requestKey })),
    );
    expect(new Set(rows.map((row) => row.id)).size).toBe(1);
    scene.expectDone(await scene.ended(rows[0]?.id ?? 0));
    const again = await scene.ask('credit-goodwill', id, args, { requestKey });
    expect(again).toMatchObject({ kind: 'known', row: { id: rows[0]?.id, state: 'DONE' } });
  });

  it('an open repair of its kind for the subject is the same one', async () => {
    const { gift, id } = await asked();
    const again = await scene.ask('cancel-voucher', gift.id, {}, { actor: 'abebe' });
    expect(again).toMatchObject({ kind: 'known', row: { id, asked_by: scene.asker } });
  });

  it('a subject has one name: zeros before it make no other one', async () => {
    const { gift } = await asked();
    const refusal = expect.stringContaining('There is no voucher 0');
    expect(await scene.ask('cancel-voucher', `0${gift.id}`)).toMatchObject({ refusal });
    await scene.addServiceFees('1000');
    const args = { wallet: 'gift', amount: '300', reference: randomUUID() };
    const first = await scene.asked('credit-goodwill', scene.partner.id, args);
    scene.expectDone(await scene.ended(first.id));
    const again = await scene.ask(
      'credit-goodwill',
      `0${scene.partner.id}`,
      { ...args, reference: randomUUID() },
      { actor: staffActor(await scene.staff('OPERATOR')) },
    );
    expect(again).toMatchObject({ refusal: expect.stringContaining('There is no partner 0') });
  });

  it.each([
    ['extend-claim', { minutes: '20' }, { minutes: '40' }],
    ['correct-number', { msisdn: '+251911000001' }, { msisdn: '+251911000002' }],
  ])('an open %s with other arguments is another one, and refused', async (kind, args, other) => {
    const { gift } =
      kind === 'extend-claim' ? await scene.voucherIn('claimed') : { gift: await scene.gift() };
    const requestKey = randomUUID();
    const { id } = await scene.asked(kind, gift.id, args, { isByTwo: true, requestKey });
    const refusal = `Repair ${id} is open for this: wait until it has ended.`;
    expect(await scene.ask(kind, gift.id, other)).toEqual({ kind: 'refused', refusal });
    expect(await scene.ask(kind, gift.id, args)).toMatchObject({ kind: 'known', row: { id } });
    // The same form cannot ask for something else, either.
    expect(await scene.ask(kind, gift.id, other, { requestKey })).toEqual({
      kind: 'refused',
      refusal: `This key belongs to repair ${id}: use another one.`,
    });
  });
});
