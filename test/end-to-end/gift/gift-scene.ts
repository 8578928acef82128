import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Environment } from '../../../src/config/config.ts';
import { addTransfers } from '../../../src/db/ledger/ledger.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import {
  type Answer,
  call,
  merchantClient,
  newestCode,
  partnerClient,
} from '../../support/clients.ts';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../support/companies.ts';
import { startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

export const GENERATE = '/topup-transactions/generate-voucher';
export const CLAIM = '/topup-transactions/initiate-claim';
export const REDEEM = '/topup-transactions/redeem-gift';

/** A client of either surface. */
export interface Client {
  post(
    path: string,
    body: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/** A generated voucher and the number that its codes go to. */
export interface Gift {
  readonly id: number;
  readonly voucherCode: string;
  readonly owner: string | null;
  readonly partner: TestPartner;
}

export interface GiftOptions {
  /** Null makes an anonymous voucher; without one the number is new. */
  readonly owner?: string | null;
  readonly denomination?: 100 | 500 | 1000;
  readonly merchant?: TestMerchant;
  readonly isRestricted?: boolean;
  readonly partner?: TestPartner;
}

let owners = 0;

/**
 * A number that nobody had before; its last three digits decide how the sandbox ends its messages.
 */
export function newOwner(suffix = '050'): string {
  owners += 1;
  return `+25191${String(owners).padStart(4, '0')}${suffix}`;
}

export type GiftScene = Awaited<ReturnType<typeof setGiftScene>>;

/**
 * A stack with a partner and a merchant who are logged in, and the steps of a gift's life as calls
 * that succeed or throw. `settings` are those of the stack.
 */
export async function setGiftScene(
  settings: Environment = {},
  options: Parameters<typeof startStack>[1] = {},
) {
  const stack = await startStack(settings, options);
  const { database, sandbox } = stack;
  const partner = await makePartner(stack, { giftWallet: '1000000' });
  const merchant = await makeMerchant(stack);
  const asPartner = await partnerClient(stack, partner);
  const asMerchant = await merchantClient(stack, merchant);

  async function gift(options: GiftOptions = {}): Promise<Gift> {
    const { owner = newOwner(), denomination = 100, isRestricted = true } = options;
    const issuer = options.partner ?? partner;
    const client = issuer === partner ? asPartner : await partnerClient(stack, issuer);
    const answer = await settled(client, GENERATE, {
      denominationId: issuer.denominations[denomination],
      merchantId: (options.merchant ?? merchant).id,
      msisdn: owner,
      isRestricted,
    });
    const { id, voucherCode } = done(answer).body.data.voucher;
    return { id: Number(id), voucherCode, owner, partner: issuer };
  }

  const voucherCodeOf = ({ voucherCode }: Gift) => ({ voucherCode });

  /** Claims a gift and reads the code that its owner got. */
  async function claimed(client: Client, gift: Gift, extra: object = {}): Promise<string> {
    done(await settled(client, CLAIM, { ...voucherCodeOf(gift), ...extra }));
    return newestCode(stack, gift.owner ?? '');
  }

  /** Claims and redeems a gift; the last answer. */
  async function redeemed(client: Client, gift: Gift, extra: object = {}): Promise<Answer> {
    const verificationCode = gift.owner === null ? undefined : await claimed(client, gift, extra);
    const redemption = { ...voucherCodeOf(gift), ...(gift.owner === null ? extra : {}) };
    return done(await settled(client, REDEEM, { ...redemption, verificationCode }));
  }

  const voucher = ({ id }: Gift) =>
    database
      .selectFrom('vouchers')
      .select(['status', 'remaining', 'held', 'returned', 'current_claim_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  /** Waits until a voucher has come to a state by itself. */
  const untilStatus = (gift: Gift, status: string) =>
    until(async () => {
      const found = (await voucher(gift)).status;
      if (found !== status) throw new Error(`The voucher is ${found}, not ${status}`);
    });

  /** Lets a voucher's date pass, or come again with a positive number of days. */
  const expire = ({ id }: Gift, days = -1) =>
    database
      .updateTable('vouchers')
      .set({ expires_at: sql<Date>`now() + make_interval(days => ${days}::int)` })
      .where('id', '=', id)
      .execute();

  /** Cancels an ACTIVE voucher as an operator would; what remains goes back to the partner. */
  const cancel = (gift: Gift) =>
    database.transaction().execute(async (transaction) => {
      const { remaining } = await voucher(gift);
      await transaction
        .updateTable('vouchers')
        .set({ status: 'CANCELLED', remaining: '0', returned: remaining })
        .where('id', '=', gift.id)
        .execute();
      await addTransfers(transaction, [
        {
          operationId: `cancel-voucher:${gift.id}`,
          partnerId: gift.partner.id,
          step: 'return',
          debit: 'reserved',
          credit: 'gift',
          amount: parseMoney(remaining),
        },
      ]);
    });

  /** All money and what it is bound to: two equal ones say that nothing moved between them. */
  async function holdings() {
    const { rows: accounts } = await sql`
      select account.id, kind, partner_id, balance,
        coalesce(sum(case account.id when credit_account_id then amount else -amount end), 0)
          as total
      from ledger_accounts as account
      left join ledger_transfers on account.id in (debit_account_id, credit_account_id)
      group by account.id order by account.id`.execute(database);
    const { rows: vouchers } = await sql`
      select id, status, remaining, held, returned from vouchers order by id`.execute(database);
    return { accounts, vouchers, payouts: sandbox.books.payouts() };
  }

  /** The payouts that a merchant got, newest first. */
  const payoutsTo = ({ payoutNumber }: TestMerchant) => sandbox.books.payouts({ to: payoutNumber });

  /** Waits until the provider has taken a merchant's payout, whatever became of it. */
  const untilPaidTo = (payee: TestMerchant) =>
    until(() => {
      const [payout] = payoutsTo(payee);
      if (!payout) throw new Error('The provider has taken no payout');
      return payout;
    });

  /** Decides a pending payout, as the provider's support staff would. */
  const settle = (reference: string, status: 'completed' | 'failed' | 'reversed' | 'reversed') =>
    call(`${sandbox.url}/books/payouts/${reference}`, { body: { status } });

  const settlePayout = async (payee: TestMerchant, status: 'completed' | 'failed' | 'reversed') => {
    const { reference } = await untilPaidTo(payee);
    done(await settle(reference, status));
  };

  /** Stops the stack; callers who still wait for a pending payment get their answer first. */
  async function stop(): Promise<void> {
    const pending = sandbox.books.payouts().filter(({ status }) => status === 'pending');
    await Promise.all(pending.map(({ reference }) => settle(reference, 'completed')));
    await stack.stop();
  }

  return {
    stack,
    partner,
    merchant,
    asPartner,
    asMerchant,
    stop,
    gift,
    claimed,
    redeemed,
    voucher,
    untilStatus,
    expire,
    cancel,
    holdings,
    payoutsTo,
    untilPaidTo,
    settlePayout,
  };
}

/** Repeats the same request, as callers are told to, until it has its result. */
export async function repeated(
  send: () => Promise<Answer>,
  isOpen: (answer: Answer) => boolean = ({ status }) => status === 409,
): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (!isOpen(answer)) return answer;
  }
}

/** Sends a request, and repeats it under its key while it is being processed; its last answer. */
export function settled(
  client: Client,
  path: string,
  body: Record<string, unknown>,
): Promise<Answer> {
  const key = randomUUID();
  return repeated(
    () =>
      'postRaw' in client
        ? client.post(path, { idempotencyKey: key, ...body })
        : client.post(path, body, { 'Idempotency-Key': key }),
    ({ status, body: { message } }) => status === 409 && message.startsWith('Still processing'),
  );
}

/** An answer that must be a success; the message of the error holds what came instead. */
export function done(answer: Answer): Answer {
  if (answer.status === 200) return answer;
  throw new Error(`HTTP status ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** A six-digit code that is not this one. */
export const otherCode = (code: string): string =>
  String((Number(code) + 1) % 1_000_000).padStart(6, '0');
