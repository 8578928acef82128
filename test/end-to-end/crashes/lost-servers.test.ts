import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { startPostgres } from '../../../src/local/postgres.ts';
import { commandLine, freePort } from '../../../src/local/processes.ts';
import { silentProgress as progress } from '../../../src/runtime/process/progress.ts';
import { prepareTemporal } from '../../../src/runtime/temporal/schedules.ts';
import type { generateVoucher } from '../../../workflows/generate-voucher.ts';
import { generateVoucherId } from '../../../workflows/workflow-ids.ts';
import { startOwnTemporal } from '../../harness/own-temporal.ts';
import { partnerClient } from '../../support/clients.ts';
import { deposit, makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { startLoad } from './load.ts';
import { expectAgreement } from './oracle.ts';
import { createStories, type Stories } from './stories.ts';

/** PostgreSQL and Temporal break off in the middle of ten clients' work. */
const CLIENTS = 10;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lost-servers-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** No caller waited longer than a caller waits, and some time to find out that nobody is there. */
const expectNobodyWaitedLong = ({ log }: Stories) =>
  expect(Math.max(...log.operations.map(({ longestMs }) => longestMs))).toBeLessThan(20_000);

const ended = (pid: number) => until(async () => expect(await commandLine(pid)).toBeUndefined());

/** Waits until the clients have begun some more. */
async function goOn({ log }: Stories): Promise<void> {
  const begun = log.operations.length;
  await until(() => expect(log.operations.length).toBeGreaterThan(begun + CLIENTS));
}

const statuses = ({ log }: Stories) =>
  new Set(log.operations.flatMap(({ answers }) => answers.map(({ status }) => status)));

it('connections to PostgreSQL are ended one by one, in the middle of transactions', async () => {
  const stack = await startStack({ CALLER_WAIT_SECONDS: '8' });
  const stories = await createStories(stack);
  const load = startLoad(stories, CLIENTS);
  let terminated = 0;
  for (let tries = 0; terminated < 20 && tries < 400; tries += 1) {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and state in ('active', 'idle in transaction') order by random() limit 1`.execute(
      stack.database,
    );
    terminated += rows.length;
    await sleep(20);
  }
  await load.stop();
  expect(terminated).toBe(20);
  await expectAgreement(stack, stories);
  expectNobodyWaitedLong(stories);
  await stack.stop();
});

it('PostgreSQL dies and comes back', async () => {
  const port = await freePort();
  const options = { dataDirectory: join(directory, 'postgres'), port, progress };
  let postgres = await startPostgres(options);
  await migrateToLatest(postgres.url);
  const stack = await startStack({ DATABASE_URL: postgres.url, CALLER_WAIT_SECONDS: '8' });
  const stories = await createStories(stack);
  const load = startLoad(stories, CLIENTS);
  await goOn(stories);
  // What `pg_ctl stop -m immediate` sends: it ends without putting anything away.
  process.kill(postgres.pid, 'SIGQUIT');
  await ended(postgres.pid);
  await until(() => expect([...statuses(stories)]).toContain(503));
  postgres = await startPostgres(options);
  await goOn(stories);
  await load.stop();
  await expectAgreement(stack, stories);
  expectNobodyWaitedLong(stories);
  await stack.stop();
  await postgres.stop();
});

it('the Temporal server dies and comes back', async () => {
  const temporal = await startOwnTemporal();
  await prepareTemporal({ address: temporal.address, namespace: 'default' });
  const stack = await startStack({ TEMPORAL_ADDRESS: temporal.address, CALLER_WAIT_SECONDS: '8' });
  const stories = await createStories(stack);
  const load = startLoad(stories, CLIENTS);
  await goOn(stories);
  await temporal.kill();
  await expectNothingIsHeld(stack, stories);
  await temporal.startAgain('as it was');
  await goOn(stories);
  await load.stop();
  expect([...statuses(stories)]).toContain(503);
  await expectAgreement(stack, stories);
  expectNobodyWaitedLong(stories);
  await stack.stop();
  await temporal.stop();
});

/** A partner and its sale, whose step loses the Temporal server once it has decided. */
async function loseTemporalInSale(options: { readonly giftWallet?: string } = {}) {
  const temporal = await startOwnTemporal();
  await prepareTemporal({ address: temporal.address, namespace: 'default' });
  let isKilled = false;
  const stack = await startStack(
    { TEMPORAL_ADDRESS: temporal.address, CALLER_WAIT_SECONDS: '4' },
    {
      async failpoint(step) {
        if (step !== 'generate-committed' || isKilled) return;
        isKilled = true;
        await temporal.kill();
      },
    },
  );
  const partner = await makePartner(stack, options);
  const asPartner = await partnerClient(stack, partner);
  const { id: merchantId } = await makeMerchant(stack);
  const sale = { denominationId: partner.denominations[100], merchantId, msisdn: '+251911000100' };
  const sell = (headers: Record<string, string> = {}) =>
    asPartner.post('/topup-transactions/generate-voucher', sale, headers);
  const first = await sell({ 'Idempotency-Key': 'sale-1' });
  expect(isKilled).toBe(true);
  const vouchers = () =>
    stack.database
      .selectFrom('vouchers')
      .select(['id', 'operation_id'])
      .where('partner_id', '=', partner.id)
      .execute();
  const stop = async () => {
    await stack.stop();
    await temporal.stop();
  };
  return { temporal, stack, partner, sell, first, vouchers, stop };
}

it('an answer that the database keeps does not wait until Temporal has recorded it', async () => {
  const { temporal, stack, first, vouchers, stop } = await loseTemporalInSale();
  expect(first.status).toBe(200);
  await temporal.startAgain('as it was');
  const [voucher] = await vouchers();
  // Another task does the step again, which finds the voucher.
  const { result } = await stack.temporal.client.workflow
    .getHandle<typeof generateVoucher>(generateVoucherId(voucher?.operation_id ?? ''))
    .result();
  expect(result).toEqual({ ok: true, voucherId: voucher?.id });
  expect(first.body.data.voucher.id).toBe(String(voucher?.id));
  await stop();
});

it('a refusal that the database does not keep is told once Temporal has recorded it', async () => {
  const { temporal, stack, partner, sell, first, vouchers, stop } = await loseTemporalInSale({
    giftWallet: '50',
  });
  // The step is done again: whoever was told a refusal now would find the voucher sold after all.
  expect(first.status).not.toBe(405);
  await deposit(stack, partner.id, '1000');
  await temporal.startAgain('as it was');
  const again = await until(async () => {
    const answer = await sell({ 'Idempotency-Key': 'sale-1' });
    expect(answer.status).toBe(200);
    return answer;
  });
  expect((await vouchers()).map(({ id }) => String(id))).toEqual([again.body.data.voucher.id]);
  await stop();
});

/** While no workflow can be started, requests are refused and leave nothing on hold. */
async function expectNothingIsHeld({ database }: Stack, { log }: Stories): Promise<void> {
  const transfers = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ledger_transfers`.execute(database);
    return rows[0]?.count;
  };
  const refusals = () =>
    log.operations.flatMap(({ answers }) => answers).filter(({ status }) => status === 503).length;
  // What had begun before may still come to its commit, on a slow machine later: there the refusals take longer, too.
  let before = await transfers();
  for (let isQuiet = false; !isQuiet; ) {
    const earlier = refusals();
    await sleep(1_500);
    await until(() => expect(refusals()).toBeGreaterThan(earlier + CLIENTS));
    const after = await transfers();
    isQuiet = after === before;
    before = after;
  }
  const refused = refusals();
  await until(() => expect(refusals()).toBeGreaterThan(refused + CLIENTS));
  expect(await transfers()).toBe(before);
}
