import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { createSecretBox } from '../../../src/crypto/secret-box.js';
import { addTransfers, partnerBalances } from '../../../src/db/ledger/ledger.js';
import type { RepairRow } from '../../../src/db/repairs/audit-repair.js';
import { confirmRepair } from '../../../src/db/repairs/repair-confirmations.js';
import { findRepair } from '../../../src/db/repairs/repair-lists.js';
import { addRepair } from '../../../src/db/repairs/repairs.js';
import { formatMoney, parseMoney } from '../../../src/domain/money.js';
import { type Asked, askRepair } from '../../../src/repairs/ask-repair.js';
import type { RepairKind } from '../../../src/repairs/repair-kind.js';
import { findRepairKind } from '../../../src/repairs/repair-kinds.js';
import { repairLimits } from '../../../src/repairs/repair-limits.js';
import { deposit, type TestMerchant } from '../../support/companies.js';
import { makeTopupProducts } from '../../support/topups.js';
import { until } from '../../support/until.js';
import type { Gift } from '../gift/gift-scene.js';
import { redeem, setRedemptionScene } from '../gift/redemption-scene.js';
import { isNumber } from '../privacy/stored-numbers.js';
import { sale } from '../topups/topup-scene.js';

export type RepairScene = Awaited<ReturnType<typeof setRepairScene>>;

interface Asking {
  readonly why?: string;
  readonly actor?: string;
  readonly requestKey?: string;
  /** It waits for a second person, whatever its amount. */
  readonly isByTwo?: boolean;
}

const kindOf = (name: string): RepairKind => {
  const kind = findRepairKind(name);
  if (!kind) throw new Error(`There is no repair ${name}`);
  return kind;
};

/** A scene of gifts and top-ups with people of the service who repair. */
export async function setRepairScene(...given: Parameters<typeof setRedemptionScene>) {
  const scene = await setRedemptionScene(...given);
  const { database, config } = scene.stack;
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '100000', 'airtime');
  const limits = repairLimits(config);
  const secretBox = createSecretBox(config.DATA_KEYS);
  let numbers = 0;

  const number = (suffix = '000'): string => {
    numbers += 1;
    return `+25197${String(numbers).padStart(4, '0')}${suffix}`;
  };

  /** Asks for a repair as a page or a command does. */
  const ask = (
    name: string,
    subjectId: string | number,
    args: Readonly<Record<string, string>> = {},
    {
      why = 'Ticket 4711',
      actor = 'hanna',
      requestKey = randomUUID(),
      isByTwo = false,
    }: Asking = {},
  ): Promise<Asked> => {
    const known = kindOf(name);
    const kind = isByTwo ? { ...known, isByTwo } : known;
    return database.transaction().execute((transaction) =>
      askRepair(
        transaction,
        {
          kind,
          subjectId: String(subjectId),
          args: kind.fields.parse(args),
          why,
          actor,
          requestKey,
        },
        { limits, secretBox: () => secretBox },
      ),
    );
  };

  async function asked(...parameters: Parameters<typeof ask>): Promise<RepairRow> {
    const result = await ask(...parameters);
    if (result.kind === 'refused') throw new Error(`Refused: ${result.refusal}`);
    return result.row;
  }

  /** The repair when it has ended. */
  const ended = (id: number): Promise<RepairRow> =>
    until(async () => {
      const row = await findRepair(database, id);
      if (!row || row.result === null) throw new Error(`The repair is ${row?.state}`);
      return row;
    });

  const repaired = async (...parameters: Parameters<typeof ask>): Promise<RepairRow> =>
    ended((await asked(...parameters)).id);

  /** Writes a repair that nobody judged at the edge: only the step that acts can refuse it. */
  async function written(
    name: string,
    subjectId: string | number,
    args: Readonly<Record<string, string>> = {},
  ): Promise<RepairRow> {
    const kind = kindOf(name);
    const judged = await kind.judge(database, String(subjectId), kind.fields.parse(args), limits);
    if (!judged) throw new Error('There is no such subject');
    const { row } = await database.transaction().execute((transaction) =>
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
        why: 'Ticket 4711',
        requestKey: randomUUID(),
        operationId: randomUUID().replaceAll('-', ''),
        askedBy: 'hanna',
        needsConfirmation: false,
        confirmSeconds: 60,
      }),
    );
    return row;
  }

  const forced = async (...parameters: Parameters<typeof written>): Promise<RepairRow> =>
    ended((await written(...parameters)).id);

  /** A person of the service; returns the id of the account. */
  async function staff(role: 'AGENT' | 'SUPERVISOR' | 'OPERATOR'): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      with account as (
        insert into portal_accounts (email, password_hash)
        values (${`${randomUUID()}@staff.test`}, 'none') returning id)
      insert into staff_accounts (account_id, name, role)
      select id, 'Staff', ${role} from account returning account_id as id`.execute(database);
    return Number(rows[0]?.id);
  }

  const confirm = (id: number, accountId: number): Promise<boolean> =>
    database.transaction().execute((transaction) => confirmRepair(transaction, id, accountId));

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
    if (state === 'expired') {
      await scene.expire(gift);
      await sweep();
      await scene.untilStatus(gift, 'EXPIRED');
    }
    if (state === 'cancelled') await scene.cancel(gift);
    if (state === 'redeemed') await scene.redeemed(client, gift);
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

  const sweep = () =>
    scene.stack.temporal.client.workflow.execute('expireVouchers', {
      workflowId: `sweep-${randomUUID()}`,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
    });

  const redemptionOf = ({ id }: Gift) =>
    database
      .selectFrom('redemptions')
      .select(['id', 'status', 'operation_id', 'platform_reference', 'provider_reference'])
      .where('voucher_id', '=', id)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();

  /** A top-up whose number decides what the provider does; its id when it has this status. */
  async function topUpIn(status: 'FAILED' | 'UNKNOWN' | 'SUCCESS'): Promise<number> {
    const suffix = { FAILED: '002', UNKNOWN: '014', SUCCESS: '000' }[status];
    const msisdn = number(suffix);
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

  /** Takes all but `left` out of the gift wallet, until it is given back. */
  async function spendGiftWallet(left: number) {
    const { id: partnerId } = scene.partner;
    const { gift } = await partnerBalances(database, partnerId);
    const operationId = randomUUID();
    const move = (step: string, debit: 'gift' | 'suspense', credit: 'gift' | 'suspense') =>
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
    await move('correction', 'gift', 'suspense');
    return { giveBack: () => move('corrected', 'suspense', 'gift') };
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
    limits,
    number,
    kindOf,
    ask,
    asked,
    ended,
    repaired,
    written,
    forced,
    staff,
    confirm,
    claimWorkflow,
    voucherIn,
    redemptionOf,
    topUpIn,
    topup,
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
  'redeemed',
  'expired',
  'cancelled',
] as const;
export type VoucherState = (typeof voucherStates)[number];
