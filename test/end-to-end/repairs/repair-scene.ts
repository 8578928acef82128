import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { addTransfers, partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { addRoute, removeRoute } from '../../../src/db/providers.ts';
import { addRepair, type RepairRow } from '../../../src/db/repairs/repairs.ts';
import { formatMoney, parseMoney } from '../../../src/domain/money.ts';
import { atProvider } from '../../positions/placements.ts';
import { deposit, type TestMerchant } from '../../support/companies.ts';
import { untilBlocked } from '../../support/database-locks.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import type { Gift } from '../gift/gift-scene.ts';
import { redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { sale } from '../topups/topup-scene.ts';
import { createRepairDesk, kindOf } from './repair-desk.ts';

export type RepairScene = Awaited<ReturnType<typeof setRepairScene>>;

/** How a repair is written that nobody judged at the edge. */
interface Writing {
  readonly actor?: string;
  /** Whether it waits for a second person. */
  readonly isByTwo?: boolean;
}

/** A scene of gifts and top-ups with people of the service who repair. */
export async function setRepairScene(
  ...[settings, ...options]: Parameters<typeof setRedemptionScene>
) {
  const pickup = { WORKER_PICKUP_SECONDS: '0.05' };
  const scene = await setRedemptionScene({ ...pickup, ...settings }, ...options);
  const { database, config } = scene.stack;
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '100000', 'airtime');
  const desk = await createRepairDesk(scene.stack);
  const { asker, basis, ended } = desk;
  let numbers = 0;

  const number = (suffix = '000'): string => {
    numbers += 1;
    return `+25197${String(numbers).padStart(4, '0')}${suffix}`;
  };

  /** Writes a repair that nobody judged at the edge: only the step that acts can refuse it. */
  async function written(
    name: string,
    subjectId: string | number,
    args: Readonly<Record<string, string>> = {},
    { actor = asker, isByTwo = false }: Writing = {},
  ): Promise<RepairRow> {
    const kind = kindOf(name);
    const judged = await kind.judge(database, String(subjectId), kind.fields.parse(args), basis);
    if (!judged) throw new Error('There is no such subject');
    return database.transaction().execute((transaction) =>
      addRepair(transaction, {
        kind: name,
        subject_kind: kind.subject,
        subject_id: String(subjectId),
        company: judged.company,
        voucher_id: judged.voucherId,
        topup_id: judged.topupId,
        arguments: judged.bound,
        sealed_arguments: null,
        amount: formatMoney(judged.amount),
        moves_value: judged.movesValue,
        why: 'Ticket 4711',
        request_key: randomUUID(),
        operation_id: randomUUID().replaceAll('-', ''),
        asked_by: actor,
        needs_confirmation: isByTwo,
        confirmSeconds: 60,
      }),
    );
  }

  const forced = async (...parameters: Parameters<typeof written>): Promise<RepairRow> =>
    ended((await written(...parameters)).id);

  /** The last look at one repair waits until the transaction of another one has ended. */
  async function expectInTurn(
    name: string,
    subjects: readonly [string | number, string | number],
    args: Readonly<Record<string, string>>,
  ): Promise<void> {
    const kind = kindOf(name);
    const [one, other] = subjects.map(String) as [string, string];
    const { waiting } = await database.transaction().execute(async (transaction) => {
      await kind.lock(transaction, one, args);
      const second = database
        .transaction()
        .execute((waitingOne) => kind.lock(waitingOne, other, args));
      await untilBlocked(database);
      // In an object, so that it is not awaited while the lock is held.
      return { waiting: second };
    });
    await waiting;
  }

  const claimWorkflow = async (claimId: string) => {
    const { workflow_id } = await database
      .selectFrom('voucher_claims')
      .select('workflow_id')
      .where('id', '=', claimId)
      .executeTakeFirstOrThrow();
    return scene.stack.temporal.client.workflow.getHandle(workflow_id ?? '');
  };

  /** A voucher in a state, and the merchant that is paid for it. */
  async function voucherIn(state: VoucherState): Promise<{ gift: Gift; merchant: TestMerchant }> {
    const payoutSuffix = state === 'paying' ? '014' : '000';
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
    const gift = await scene.gift({ merchant, ...(state === 'anonymous' ? { owner: null } : {}) });
    if (isPaidState(state)) {
      await scene.redeemed(client, gift, state === 'partly redeemed' ? { amount: '39' } : {});
      await confirmationOf(gift, state === 'unconfirmed' ? 'UNKNOWN' : 'SENT');
    }
    if (state === 'expired') {
      await scene.expire(gift);
      await runExpiry();
      await scene.untilStatus(gift, 'EXPIRED');
    }
    if (state === 'cancelled') await scene.cancel(gift);
    if (state === 'claimed' || state === 'hanging' || state === 'paying') {
      const verificationCode = await scene.claimed(client, gift);
      if (state === 'hanging')
        await database
          .updateTable('voucher_claims')
          .set({ expires_at: sql<Date>`now() - interval '1 second'` })
          .where('voucher_id', '=', gift.id)
          .execute();
      if (state === 'paying') {
        redeem(client, gift, { verificationCode }).catch(() => undefined);
        await scene.untilStatus(gift, 'REDEEM_PROCESSING');
      }
    }
    return { gift, merchant };
  }

  /** Waits until the confirmation of a payment was sent, and lets it have another end. */
  async function confirmationOf(gift: Gift, status: 'SENT' | 'UNKNOWN'): Promise<void> {
    const confirmations = () =>
      database
        .updateTable('messages')
        .set({ status })
        .where('voucher_id', '=', gift.id)
        .where('kind', '=', 'REDEMPTION_CONFIRMATION')
        .where('status', '=', 'SENT')
        .executeTakeFirst();
    await until(async () => expect((await confirmations()).numUpdatedRows).toBe(1n));
  }

  const runExpiry = () =>
    scene.stack.temporal.client.workflow.execute('expireVouchers', {
      workflowId: `expiry-${randomUUID()}`,
      taskQueue: config.temporal.temporalTaskQueue,
    });

  const redemptionOf = ({ id }: Gift) =>
    database
      .selectFrom('redemptions')
      .select(['id', 'status', 'operation_id', 'platform_reference'])
      .select('payment_reference')
      .select(atProvider('redemptions.operation_id'))
      .where('voucher_id', '=', id)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();

  /** A top-up whose number decides what the provider does; its id when it has this status. */
  async function topupIn(
    status: 'FAILED' | 'UNKNOWN' | 'SUCCESS',
    msisdn = number({ FAILED: '002', UNKNOWN: '014', SUCCESS: '000' }[status]),
  ): Promise<number> {
    scene.asPartner
      .post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale })
      .catch(() => undefined);
    const { id } = await until(() =>
      database
        .selectFrom('topups')
        .select('id')
        .where(isNumber(scene.stack, 'msisdn', msisdn))
        .where('status', '=', status)
        .executeTakeFirstOrThrow(),
    );
    return id;
  }

  const topup = (id: number) =>
    database
      .selectFrom('topups')
      .select(['status', 'attempt', 'msisdn', 'provider_reference'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  /** A route of airtime for the numbers of the sandbox; its id. */
  const routeTo = (provider: 'dt-one' | 'reloadly', position: number): Promise<number> =>
    database.transaction().execute((transaction) =>
      addRoute(transaction, {
        kind: 'topup-airtime',
        provider,
        position,
        operator: 'ETHIO_TELECOM',
      }),
    );

  const removeTheRoute = (id: number) =>
    database.transaction().execute((transaction) => removeRoute(transaction, id));

  /** Takes all but `left` out of the gift wallet, until it is given back. */
  async function spendGiftWallet(left: number) {
    const { id: partnerId } = scene.partner;
    const { gift } = await partnerBalances(database, partnerId);
    const operationId = randomUUID();
    const move = (step: string, debit: 'gift' | 'funding', credit: 'gift' | 'funding') =>
      database.transaction().execute((transaction) =>
        addTransfers(transaction, [
          {
            operationId,
            partnerId,
            step,
            debit,
            credit,
            amount: parseMoney(gift) - parseMoney(String(left)),
          },
        ]),
      );
    await move('correction', 'gift', 'funding');
    return { giveBack: () => move('corrected', 'funding', 'gift') };
  }

  /** The names of the audit log's entries about a repair, in order. */
  async function audited(id: number): Promise<string[]> {
    const rows = await database
      .selectFrom('audit_log')
      .select(['actor', 'action'])
      .where(sql<boolean>`details ->> 'repair' = ${String(id)}`)
      .orderBy('id')
      .execute();
    return rows.map(({ actor, action }) => `${actor}: ${action}`);
  }

  const expectDone = (row: RepairRow) =>
    expect([row.state, row.result], row.kind).toEqual(['DONE', expect.any(String)]);

  return {
    ...scene,
    ...desk,
    number,
    written,
    forced,
    expectInTurn,
    claimWorkflow,
    voucherIn,
    redemptionOf,
    topupIn,
    topup,
    routeTo,
    removeTheRoute,
    audited,
    spendGiftWallet,
    expectDone,
  };
}

export const voucherStates = [
  'active',
  'anonymous',
  'claimed',
  'hanging',
  'paying',
  'partly redeemed',
  'redeemed',
  'unconfirmed',
  'expired',
  'cancelled',
] as const;
export type VoucherState = (typeof voucherStates)[number];

const isPaidState = (state: VoucherState): boolean =>
  state === 'partly redeemed' || state === 'redeemed' || state === 'unconfirmed';
