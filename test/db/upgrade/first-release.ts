import { createHash, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { connectDatabase } from '../../../src/db/connection.ts';

const folder = new URL('../../../migrations/', import.meta.url);

/** The migrations that the first release had are those of its day. */
const isOfFirstRelease = (name: string): boolean => name.startsWith('2026-11-21-');

/** Gives an empty database the schema of the first release. */
export async function migrateToFirstRelease(url: string): Promise<void> {
  const names = (await readdir(folder)).filter(isOfFirstRelease);
  const loaded = names.map(async (name) => {
    const migration = await import(new URL(name, folder).href);
    return [name.replace(/\.ts$/, ''), migration] as const;
  });
  const migrations = Object.fromEntries(await Promise.all(loaded));
  const database = connectDatabase(url, { poolSize: 1 });
  try {
    const { error } = await new Migrator({
      db: database,
      provider: { getMigrations: () => Promise.resolve(migrations) },
    }).migrateToLatest();
    if (error) throw error;
  } finally {
    await database.destroy();
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

type Query = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

/** What its callers were told by the first release. */
interface Told {
  readonly generated: string[];
  readonly redeemed: string[];
  readonly refused: string[];
  readonly delivered: string[];
  readonly failed: string[];
}

export type FirstRelease = ReturnType<typeof createFirstRelease>;

/** What one statement of a request may take, the waiting for locks included. */
const STATEMENT_LIMIT_MS = 5_000;

/**
 * Requests as the first release makes them: its statements, in its transactions. A transaction that
 * the database gave up is made again, as its activities do.
 */
export function createFirstRelease(url: string, poolSize: number) {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    statement_timeout: STATEMENT_LIMIT_MS,
  });
  // The database is dropped before the last connection is closed.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  const told: Told = { generated: [], redeemed: [], refused: [], delivered: [], failed: [] };
  /** SQLSTATEs of transactions that were made again. */
  const repeated: string[] = [];

  async function transact<Result>(steps: (query: Query) => Promise<Result>): Promise<Result> {
    for (;;) {
      const client = await pool.connect();
      const query: Query = (text, values) => client.query(text, values && [...values]);
      try {
        await query('begin');
        const result = await steps(query);
        await query('commit');
        return result;
      } catch (error) {
        await query('rollback');
        const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
        if (code !== '40P01') throw error;
        repeated.push(code);
      } finally {
        client.release();
      }
    }
  }

  return {
    told,
    repeated,
    query: ((text, values) => pool.query(text, values && [...values])) satisfies Query as Query,
    transact,
    stop: () => pool.end(),
  };
}

/** A partner with 1,000,000 in each wallet, a merchant and a denomination of 100. */
export async function addCompanies({ query }: FirstRelease): Promise<void> {
  await query(`insert into partners (company_name) values ('Ethio Gifts')`);
  await query(`
    insert into merchants (merchant_name, merchant_type, identifier_type, identifier, email, phone,
      address, service_fee_percent)
    values ('Bole Market', 'SHOP', 1, '700100', 'till@bole.example', '+251911000001', 'Bole', 2)`);
  await query(`
    insert into product_categories (category_name, category_description) values ('Gifts', 'Gifts')`);
  await query(`
    insert into products (product_name, pricing_type, product_category_id, kind)
    values ('Gift', 'COMISSION', 1, 'GIFT')`);
  await query('insert into gift_denominations (product_id, amount_etb) values (1, 100)');
  await query(`
    insert into api_keys (partner_id, key_name, key_prefix, key_digest)
    values (1, 'till', 'test_', '\\x01')`);
  for (const wallet of ['gift', 'airtime'])
    await query(
      `insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
       select 'deposit-' || $1, 'deposit', funding.id, wallet.id, 1000000
       from ledger_accounts as funding, ledger_accounts as wallet
       where funding.kind = 'funding' and wallet.kind = $1 and wallet.partner_id = 1`,
      [wallet],
    );
}

const move = `
  insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
  select $1, $2, debit.id, credit.id, $5::numeric from ledger_accounts as debit, ledger_accounts as credit
  where debit.kind = $3 and coalesce(debit.partner_id, 1) = 1
    and credit.kind = $4 and coalesce(credit.partner_id, 1) = 1`;

/** Generates a voucher of 100, in one statement; returns its id. */
async function generateVoucher(release: FirstRelease, operationId: string): Promise<number> {
  const { rows } = await release.transact((query) =>
    query(
      `with voucher as (
        insert into vouchers (operation_id, partner_id, merchant_id, denomination_id, serial_number,
          code_digest, code_ciphertext, owner_msisdn, is_restricted, amount, remaining, expires_at,
          selling_price_usd)
        select $1, id, 1, 1, $2, $3, 'sealed', '+251911223344', false, 100, 100,
          now() + interval '1 year', 1
        from partners where id = 1 and status = 'ACTIVE'
        returning id
      ), operation as (
        insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
          status, outcome)
        select $1, 'partner', 1, 'generate-voucher', $4::uuid, $5, 'SUCCEEDED',
          jsonb_build_object('ok', true, 'voucherId', id)
        from voucher
        on conflict (id) do update set outcome = excluded.outcome
          where operations.status = 'REFUSED'
      ), transfer as (
        insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
        select $1, 'reserve', gift.id, reserved.id, 100
        from voucher, ledger_accounts as gift, ledger_accounts as reserved
        where gift.kind = 'gift' and gift.partner_id = 1
          and reserved.kind = 'reserved' and reserved.partner_id = 1
      )
      select id from voucher`,
      [
        operationId,
        `GV${operationId.slice(0, 18)}`,
        digestOf(operationId),
        randomUUID(),
        digestOf('request').toString('hex'),
      ],
    ),
  );
  release.told.generated.push(operationId);
  return rows[0].id;
}

const beginOperation = (query: Query, id: string, kind: string, company = 'merchant') =>
  query(
    `insert into operations (id, company_kind, company_id, kind, request_id, request_digest, status)
     values ($1, $2, 1, $3, $4, 'digest', 'RUNNING') on conflict (id) do nothing`,
    [id, company, kind, randomUUID()],
  );

const settleOperation = (query: Query, id: string, status: string) =>
  query(
    `update operations set status = $2, outcome = '{"ok": true}' where id = $1 and status = 'RUNNING'`,
    [id, status],
  );

/** A claim with its message, and one wrong code. */
async function claimVoucher(release: FirstRelease, voucherId: number): Promise<string> {
  const claimId = randomUUID();
  await release.transact(async (query) => {
    await beginOperation(query, claimId, 'initiate-claim');
    await query('select id from vouchers where id = $1 for update', [voucherId]);
    await query(
      `insert into voucher_claims (id, operation_id, voucher_id, company_kind, company_id,
         service_fee_percent, expires_at, code_digest, code_ciphertext)
       values ($1, $1, $2, 'merchant', 1, 2, clock_timestamp() + interval '5 minutes', 'digest',
         'sealed')`,
      [claimId, voucherId],
    );
    await query(
      `update vouchers set status = 'REDEEM_INITIATED', current_claim_id = $2
       where id = $1 and status in ('ACTIVE', 'REDEEM_INITIATED')`,
      [voucherId, claimId],
    );
    await query(
      `insert into messages (kind, msisdn, voucher_id, claim_id)
       values ('VERIFICATION_CODE', '+251911223344', $1, $2)`,
      [voucherId, claimId],
    );
    await settleOperation(query, claimId, 'SUCCEEDED');
  });
  await release.query(
    `update messages set status = 'SENT', settled_at = now() where claim_id = $1`,
    [claimId],
  );
  await release.query(
    'insert into verification_attempts (voucher_id, operation_id) values ($1, $2)',
    [voucherId, randomUUID()],
  );
  return claimId;
}

const lockRedemption = (query: Query, operationId: string) =>
  query(
    `select redemptions.id, redemptions.status, vouchers.partner_id, merchants.merchant_name
     from redemptions join vouchers on vouchers.id = redemptions.voucher_id
     join merchants on merchants.id = redemptions.merchant_id
     where redemptions.operation_id = $1 for update of redemptions, vouchers`,
    [operationId],
  );

/** The hold; the payment takes place outside of any transaction. */
async function holdRedemption(
  release: FirstRelease,
  voucherId: number,
  claimId: string,
): Promise<string> {
  const operationId = randomUUID();
  await release.transact(async (query) => {
    await beginOperation(query, operationId, 'redeem-gift');
    await query('select id from vouchers where id = $1 for update', [voucherId]);
    await query(
      `update vouchers set status = 'REDEEM_PROCESSING', remaining = remaining - 40, held = 40
       where id = $1 and status in ('ACTIVE', 'REDEEM_INITIATED')`,
      [voucherId],
    );
    await query(
      `insert into redemptions (operation_id, voucher_id, claim_id, company_kind, company_id,
         merchant_id, to_merchant, service_fee, payment_reference, platform_reference, payee)
       values ($1, $2, $3, 'merchant', 1, 1, 39.2, 0.8, $4, $5, '[]')`,
      [operationId, voucherId, claimId, operationId, `RD${operationId}`],
    );
    await query(move, [operationId, 'hold', 'reserved', 'gift-hold', '40']);
  });
  return operationId;
}

async function endRedemption(
  release: FirstRelease,
  { operationId, voucherId }: { readonly operationId: string; readonly voucherId: number },
  isPaid: boolean,
): Promise<void> {
  await release.transact(async (query) => {
    await lockRedemption(query, operationId);
    if (isPaid) {
      await query(move, [
        operationId,
        'post-payment',
        'gift-hold',
        'mobile-money-clearing',
        '39.2',
      ]);
      await query(move, [operationId, 'post-service-fee', 'gift-hold', 'service-fees', '0.8']);
    } else await query(move, [operationId, 'void', 'gift-hold', 'reserved', '40']);
    await query(
      `update vouchers set status = 'ACTIVE', held = 0, current_claim_id = null,
         remaining = remaining + case when $2 then 0 else held end
       where id = $1 and status = 'REDEEM_PROCESSING'`,
      [voucherId, isPaid],
    );
    await query(
      `update voucher_claims set status = 'REDEEMED', code_ciphertext = null
       where voucher_id = $1 and status = 'OPEN'`,
      [voucherId],
    );
    await query('update redemptions set status = $2, settled_at = now() where operation_id = $1', [
      operationId,
      isPaid ? 'POSTED' : 'VOIDED',
    ]);
    await settleOperation(query, operationId, isPaid ? 'SUCCEEDED' : 'FAILED');
  });
  release.told[isPaid ? 'redeemed' : 'refused'].push(operationId);
}

/** Airtime of 10: its number, its hold, and its end. */
async function topUp(release: FirstRelease, isDelivered: boolean): Promise<void> {
  const operationId = randomUUID();
  const { rows } = await release.query(
    `insert into topups (operation_id, request_digest, partner_id, kind, amount, msisdn,
       exchange_rate, currency, originating_country)
     values ($1, 'digest', 1, 'AIRTIME', 10, '+251911223344', '57', 'USD', 'US') returning id`,
    [operationId],
  );
  const topupId = rows[0].id;
  await release.transact(async (query) => {
    await beginOperation(query, operationId, 'topup-airtime', 'partner');
    await query('select id from topups where id = $1 for update', [topupId]);
    await query(
      `insert into topup_attempts (topup_id, attempt, operation_id, reference, msisdn)
       values ($1, 1, $2, $2, '+251911223344')`,
      [topupId, operationId],
    );
    await query(
      `update topups set status = 'PROCESSING', attempt = 1, operator = 'ETHIO_TELECOM',
         updated_at = now() where id = $1`,
      [topupId],
    );
    await query(move, [operationId, 'hold', 'airtime', 'airtime-hold', '10']);
  });
  await release.transact(async (query) => {
    await query(
      `update topup_attempts set status = $2, settled_at = now()
       where operation_id = $1 and status = 'HELD'`,
      [operationId, isDelivered ? 'POSTED' : 'VOIDED'],
    );
    await query('update topups set status = $2, updated_at = now() where id = $1', [
      topupId,
      isDelivered ? 'SUCCESS' : 'FAILED',
    ]);
    const [step, credit] = isDelivered ? ['post', 'airtime-clearing'] : ['void', 'airtime'];
    await query(move, [operationId, step, 'airtime-hold', credit, '10']);
    await settleOperation(query, operationId, isDelivered ? 'SUCCEEDED' : 'FAILED');
  });
  release.told[isDelivered ? 'delivered' : 'failed'].push(operationId);
}

/** What partners read: their balances and lists. */
async function readLists({ query }: FirstRelease): Promise<void> {
  await query('select id from api_keys where key_digest = $1 and revoked_at is null', [
    Buffer.from([1]),
  ]);
  await query('select kind, balance from ledger_accounts where partner_id = 1');
  await query(
    `select vouchers.id, serial_number, vouchers.status, remaining, merchant_name
     from vouchers join merchants on merchants.id = merchant_id
     where partner_id = 1 order by vouchers.id desc limit 20`,
  );
  await query(
    `select topups.id, topups.status, topup_attempts.status as attempt_status from topups
     join topup_attempts on topup_attempts.topup_id = topups.id and topup_attempts.attempt = topups.attempt
     where partner_id = 1 order by topups.id desc limit 20`,
  );
}

/** The lives of a voucher and of a top-up; the third voucher is not paid, the third top-up fails. */
export async function playStory(release: FirstRelease, number: number): Promise<void> {
  const voucherId = await generateVoucher(release, randomUUID().replaceAll('-', ''));
  const claimId = await claimVoucher(release, voucherId);
  const operationId = await holdRedemption(release, voucherId, claimId);
  await readLists(release);
  await endRedemption(release, { operationId, voucherId }, number % 3 !== 2);
  await topUp(release, number % 3 !== 2);
  await release.query(
    `insert into admitted_calls (at, surface, method, route, status_code, company_kind, company_id,
       source_address, request_id)
     values (now(), 'partner', 'POST', '/generateVoucher', 200, 'partner', 1, '127.0.0.1', $1)`,
    [operationId],
  );
}
