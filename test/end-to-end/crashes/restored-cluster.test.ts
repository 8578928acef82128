import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startApi } from '../../../src/api.ts';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { startPostgres } from '../../../src/local/postgres.ts';
import { freePort } from '../../../src/local/processes.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { silentProgress as progress } from '../../../src/runtime/process/progress.ts';
import { startWorker } from '../../../src/worker.ts';
import { type Commands, commandsOn } from '../../admin/scene.ts';
import { copyCluster } from '../../harness/copied-cluster.ts';
import { shownFacts } from '../../positions/cases.ts';
import type { Answer } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { providerSettings } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { sale } from '../topups/topup-scene.ts';
import { archiveAll, archiving, ask } from './archived-log.ts';

/**
 * A base backup and the archived log of PostgreSQL, made while requests run, are restored to a moment
 * before the last payments, as docs/guides/back-up-and-restore.md says it.
 */
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'restored-cluster-'));
  await chmod(directory, 0o755);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** One request of a client, and what it was answered. */
interface Logged {
  readonly send: () => Promise<Answer>;
  readonly before: Answer;
}

it('a service that was restored to a moment ago loses and doubles nothing', async () => {
  const archive = join(directory, 'wal');
  await mkdir(archive);
  await chmod(archive, 0o777);
  const port = await freePort();
  const original = join(directory, 'postgres');
  const postgres = await startPostgres({
    dataDirectory: original,
    port,
    settings: archiving(archive),
    progress,
  });
  await migrateToLatest(postgres.url);
  const scene = await setRedemptionScene({
    DATABASE_URL: postgres.url,
    PORT: String(await freePort()),
    CLAIM_LIFETIME_SECONDS: '3600',
    // It cannot list what it paid.
    MPESA_URL: undefined,
  });
  const { stack } = scene;
  await makeTopupProducts(stack, scene.partner);
  await deposit(stack, scene.partner.id, '10000', 'airtime');
  const work = await createWork(scene);

  // Requests go on while the copy is made.
  const log: Logged[] = [];
  const [base] = await Promise.all([
    copyCluster(postgres.url, {
      from: original,
      to: join(directory, 'restored'),
      signal: 'recovery.signal',
    }),
    work(6).then((done) => log.push(...done)),
  ]);
  const restoredTo = await momentOf(postgres.url);
  const lost = [...(await work(6)), await paidInNewVoucher(scene)];
  log.push(...lost.slice(0, -1));
  const paid = stack.sandbox.books.payouts().length;
  await archiveAll(postgres.url);
  await Promise.all([stack.api.stop(), stack.worker.stop()]);
  await postgres.stop();

  const restored = await startPostgres({
    dataDirectory: base,
    port,
    settings: {
      fsync: 'off',
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_time: restoredTo,
      recovery_target_action: 'promote',
    },
    progress,
  });
  await until(async () => expect(await isPromoted(restored.url)).toBe(true));
  const operator = commandsOn({
    ...providerSettings(stack.sandbox),
    MPESA_URL: undefined,
    DATABASE_URL: restored.url,
  });
  expect(await operator.json('recovery fence')).toMatchObject({ changed: true });

  const logger = createLogger('silent', 'test');
  const worker = await startWorker(stack.config, stack.temporal, { logger });
  const api = await startApi(stack.config, stack.temporal, { logger, eager: true });
  const [first] = log;
  expect((await first?.send())?.body.statusCode).toBe(503);
  expect((await operator.json('recovery list')).counts.lost).toBe(lost.length);
  expect(await operator.json('recovery book')).toMatchObject({
    booked: lost.length,
    isComplete: true,
  });
  await operator.json(['recovery', 'lift', '--why', 'booked']);
  await until(async () => expect((await first?.send())?.body.statusCode).not.toBe(503));

  // Every client repeats what it sent, and gets the first answer.
  for (const { send, before } of log) expect(resultOf(await send())).toEqual(resultOf(before));
  // The voucher of the lost minute is unknown, and its payment waits for an operator.
  const unknown = lost.at(-1);
  expect((await unknown?.send())?.status).not.toBe(200);
  const [left, ...others] = await operator.json('cases list');
  expect(others).toEqual([]);
  await operator.json([
    ...['cases', 'settle', String(left.id), '--why', 'its voucher is lost'],
    ...['--by', 'partner', '--partner', String(scene.partner.id)],
    ...(await shownFacts(operator, left.id)).split(' '),
  ]);
  await until(async () => expect(await operator.json('cases list')).toEqual([]));

  expect(stack.sandbox.books.payouts()).toHaveLength(paid);
  expect(await inOurBooks(operator)).toEqual(inProvidersBooks(stack.sandbox.books));
  expect((await operator.json('money check-ledger')).totals.openSuspense.count).toBe(0);
  await api.stop();
  await worker.stop();
  await stack.stop();
  await restored.stop();
});

/** Redeems vouchers that are claimed by now, and tops up; each request has a key. */
async function createWork(scene: RedemptionScene) {
  const { merchant, client } = await scene.payee('merchant');
  const claimed = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const gift = await scene.gift({ merchant });
      const verificationCode = await scene.claimed(client, gift);
      const request = { verificationCode, idempotencyKey: randomUUID() };
      return () => redeem(client, gift, request);
    }),
  );
  const topup = () => {
    const key = randomUUID();
    return () =>
      scene.asPartner.post(
        '/topup-transactions/airtime-topup',
        { amount: 25, msisdn: '+251911779000', ...sale },
        { 'Idempotency-Key': key },
      );
  };
  return async (count: number): Promise<Logged[]> => {
    const log: Logged[] = [];
    for (const send of claimed.splice(0, count).flatMap((one) => [one, topup()])) {
      const before = await send();
      expect(before.body.statusCode).toBe(200);
      log.push({ send, before });
    }
    return log;
  };
}

/** A payment for a voucher that the restored database does not have. */
async function paidInNewVoucher(scene: RedemptionScene): Promise<Logged> {
  const { merchant } = await scene.payee('partner');
  const gift = await scene.gift({ merchant, owner: null });
  const send = () => redeem(scene.asPartner, gift);
  return { send, before: await send() };
}

const resultOf = ({ body: { statusCode, data } }: Answer) => ({
  statusCode,
  reference: data.referenceNumber,
  status: data.status,
});

const momentOf = async (url: string): Promise<string> =>
  (await ask(url, 'select clock_timestamp()::text as moment')).moment;

const isPromoted = async (url: string): Promise<boolean> =>
  (await ask(url, 'select not pg_is_in_recovery() as is')).is;

/** What the books say that the providers were given. */
async function inOurBooks(operator: Commands) {
  const { accounts } = (await operator.json('money check-ledger')).totals;
  const found = accounts.filter(({ kind }: { kind: string }) => kind.endsWith('-clearing'));
  return Object.fromEntries(
    found.map(({ kind, balance }: { kind: string; balance: string }) => [kind, Number(balance)]),
  );
}

const inProvidersBooks = (books: RedemptionScene['stack']['sandbox']['books']) => ({
  'mobile-money-clearing': sumOf(books.payouts()),
  'airtime-clearing': sumOf(books.topups()),
});

const sumOf = (rows: readonly { readonly amount: string; readonly status: string }[]): number =>
  rows
    .filter(({ status }) => status === 'completed')
    .reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0) / 100;
