import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeposit } from '../../../src/db/ledger/deposits.ts';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { partnerClient } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { untilBlocked, untilBlockedBy } from '../../support/database-locks.ts';
import { GENERATE } from '../gift/gift-scene.ts';
import { createLateDeliveries } from './late-deliveries.ts';
import { lockOfReserve, lockOfTopup, type RaceScene, setRaceScene } from './race-scene.ts';

/** Repairs of wallets and top-ups that meet partners, providers and each other, each of them first. */
let scene: RaceScene;
let late: ReturnType<typeof createLateDeliveries>;

beforeAll(async () => {
  scene = await setRaceScene({ CALLER_WAIT_SECONDS: '2', TOPUP_RETRY_WINDOW_SECONDS: '3600' });
  late = createLateDeliveries(scene.stack);
});
afterAll(() => scene?.stop());

const walletOf = async (partnerId: number, wallet: 'gift' | 'airtime'): Promise<number> =>
  Number((await partnerBalances(scene.stack.database, partnerId))[wallet]);

describe('correct-deposit meets a voucher that the deposit would pay for', () => {
  /** A wallet of ETB 150, of which 100 were deposited by mistake, and an order for ETB 100. */
  async function setWallet() {
    const partner = await makePartner(scene.stack, { giftWallet: '50' });
    const reference = randomUUID();
    const made = { partnerId: partner.id, wallet: 'gift', amount: parseMoney('100') } as const;
    await scene.stack.database
      .transaction()
      .execute((transaction) => addDeposit(transaction, { ...made, reference }));
    const client = await partnerClient(scene.stack, partner);
    const { id: merchantId } = await makeMerchant(scene.stack);
    const order = { denominationId: partner.denominations[100], merchantId, msisdn: null };
    return { partner, reference, generate: () => client.post(GENERATE, order) };
  }

  it('the repair first: the voucher is refused', async () => {
    const { partner, reference, generate } = await setWallet();
    const { letGo } = await scene.halted('repair-carried-out', () =>
      scene.asked('correct-deposit', reference, { amount: '0' }),
    );
    const answer = generate();
    await untilBlocked(scene.stack.database);
    scene.expectDone(await letGo());
    expect((await answer).body).toMatchObject({ success: false });
    expect(await walletOf(partner.id, 'gift')).toBe(50);
  });

  it('the voucher first: the repair is refused', async () => {
    const { partner, reference, generate } = await setWallet();
    const { letGo } = await scene.halted('repair-begun', () =>
      scene.asked('correct-deposit', reference, { amount: '0' }),
    );
    const { row, answer } = await scene.meet(
      // The generation has the wallet, and waits for the account that the value goes to.
      { lock: lockOfReserve(partner.id), first: 'other' },
      { repair: letGo, other: generate },
    );
    expect([row.state, row.result]).toEqual([
      'REFUSED',
      expect.stringContaining('The balance does not cover it'),
    ]);
    expect(answer.body).toMatchObject({ success: true });
    expect(await walletOf(partner.id, 'gift')).toBe(50);
  });
});

describe('two goodwills have one reference', () => {
  it('for two partners: one is credited, and the other is told why not', async () => {
    const [one, other] = [await makePartner(scene.stack), await makePartner(scene.stack)];
    const args = { wallet: 'airtime', amount: '0.50', reference: randomUUID() };
    await scene.addServiceFees('1');
    const actor = staffActor(await scene.staff('OPERATOR'));
    const first = await scene.halted('repair-carried-out', () =>
      scene.asked('credit-goodwill', one.id, args),
    );
    const second = await scene.asked('credit-goodwill', other.id, args, { actor });
    await untilBlocked(scene.stack.database);
    scene.expectDone(await first.letGo());
    const refused = await scene.ended(second.id);
    expect([refused.state, refused.result]).toEqual([
      'REFUSED',
      expect.stringContaining(`An amount was credited under ${args.reference} before`),
    ]);
    expect(await walletOf(one.id, 'airtime')).toBe(0.5);
    expect(await walletOf(other.id, 'airtime')).toBe(0);
  });
});

describe("settle-top-up meets the provider's own answer", () => {
  const notDone = { outcome: 'not-done', reference: 'LETTER' };

  it('the answer first: it is booked, and charged once', async () => {
    const id = await scene.topupIn('UNKNOWN');
    const before = await walletOf(scene.partner.id, 'airtime');
    const { reference } = await late.attemptOf(id);
    const { letGo } = await scene.halted('repair-begun', () =>
      scene.asked('settle-top-up', id, notDone),
    );
    await late.deliver(reference);
    const { row } = await scene.meet(
      { lock: lockOfTopup(id), first: 'other' },
      // The workflow of the top-up asks again and again, and books what it hears.
      { repair: letGo, other: async () => undefined },
    );
    expect(row).toMatchObject({ state: 'REFUSED', result: expect.stringContaining('delivered') });
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 1 });
    expect(await walletOf(scene.partner.id, 'airtime')).toBe(before);
  });

  it('the repair first: what the provider delivers after all is a case', async () => {
    const id = await scene.topupIn('UNKNOWN');
    const before = await walletOf(scene.partner.id, 'airtime');
    const { reference, operation_id: operationId } = await late.attemptOf(id);
    const { other } = await scene.stack.database.transaction().execute(async (transaction) => {
      // Only a booking waits for the attempt; a look at the provider also writes the top-up.
      await sql`
        select from topup_attempts where operation_id = ${operationId} for update`.execute(
        transaction,
      );
      const asked = await scene.asked('settle-top-up', id, notDone);
      // What was decided is to be booked; a look at the provider may wait for the repair's own lock.
      await untilBlockedBy(transaction, scene.stack.database, 1);
      await late.deliver(reference);
      return { other: scene.ended(asked.id) };
    });
    scene.expectDone(await other);
    expect(await late.attemptOf(id)).toMatchObject({ status: 'VOIDED' });
    expect(await walletOf(scene.partner.id, 'airtime')).toBe(before + 50);
    await late.findLate(operationId);
    expect((await scene.ask('retry-top-up', id)).kind).toBe('refused');
    expect(await walletOf(scene.partner.id, 'airtime')).toBe(before + 50);
  });
});

describe('retry-top-up meets a late delivery', () => {
  it.each(['repair-begun', 'repair-begin-committed'] as const)(
    'the late delivery comes at %s: nothing more is sent',
    async (at) => {
      const id = await scene.topupIn('FAILED');
      const { reference, operation_id: operationId } = await late.attemptOf(id);
      const before = await walletOf(scene.partner.id, 'airtime');
      const msisdn = scene.number();
      const { letGo } = await scene.halted(at, () => scene.asked('retry-top-up', id, { msisdn }));
      await late.deliver(reference);
      await late.findLate(operationId);
      const row = await letGo();
      expect([row.state, row.result]).toEqual(['REFUSED', expect.stringMatching(/[Cc]ase/)]);
      expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 1 });
      expect(await walletOf(scene.partner.id, 'airtime')).toBe(before);
    },
  );

  it('the retry first: it is charged once, and the late delivery is a case', async () => {
    const id = await scene.topupIn('FAILED');
    const { reference, operation_id: operationId } = await late.attemptOf(id);
    const before = await walletOf(scene.partner.id, 'airtime');
    scene.expectDone(await scene.repaired('retry-top-up', id, { msisdn: scene.number() }));
    await late.deliver(reference);
    await late.findLate(operationId);
    expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 2 });
    expect(await walletOf(scene.partner.id, 'airtime')).toBe(before - 50);
    expect((await scene.ask('retry-top-up', id)).kind).toBe('refused');
  });
});
