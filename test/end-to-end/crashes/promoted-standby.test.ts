import { randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { startPostgres } from '../../../src/local/postgres.ts';
import { freePort } from '../../../src/local/processes.ts';
import { silentProgress as progress } from '../../../src/runtime/process/progress.ts';
import { commandsOn } from '../../admin/scene.ts';
import { copyCluster } from '../../harness/copied-cluster.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { makeSpoilingWay } from '../../support/spoiling-way.ts';
import { providerSettings } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { archiving, ask } from './archived-log.ts';

/**
 * The primary is lost and a standby is promoted that follows it asynchronously: it has a payment on hold,
 * and lacks the mark that it was sent. The service runs on, and nobody has fenced the database.
 */
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'promoted-standby-'));
  await chmod(directory, 0o755);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('a promoted standby changes and sends nothing before an operator lifts the fence', async () => {
  const archive = join(directory, 'wal');
  await mkdir(archive);
  await chmod(archive, 0o777);
  const port = await freePort();
  const original = join(directory, 'postgres');
  const settings = archiving(archive);
  const primary = await startPostgres({ dataDirectory: original, port, settings, progress });
  await migrateToLatest(primary.url);
  const toService = await makeSpoilingWay();
  const scene = await setRedemptionScene({
    DATABASE_URL: primary.url,
    MOBILE_MONEY_PROVIDER: 'mpesa',
    CALLBACK_URL: `${toService.url}/callbacks`,
    CALLER_WAIT_SECONDS: '1',
  });
  const { stack } = scene;
  toService.setTarget(stack.url);
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
  const request = { idempotencyKey: randomUUID() };

  // The standby stands still between the hold and the mark, which is written after that.
  const mend = await breakStatement(stack.database, {
    table: 'placements',
    on: 'update',
    when: 'new.sent_at is not null',
  });
  expect((await redeem(client, gift, request)).body.statusCode).toBe(4092);
  const copy = await copyCluster(primary.url, {
    from: original,
    to: join(directory, 'standby'),
    signal: 'standby.signal',
  });
  const replicated = join(directory, 'replicated');
  await cp(archive, replicated, { recursive: true });
  await mend();
  await scene.untilStatus(gift, 'REDEEMED');
  expect(scene.amountsPaidTo(merchant)).toEqual(['975.00 completed']);
  const sent = sentBy(scene);

  await primary.stop();
  const standby = await startPostgres({
    dataDirectory: copy,
    port,
    settings: { fsync: 'off', restore_command: `cp ${replicated}/%f %p` },
    progress,
  });
  await ask(standby.url, 'select pg_promote()');
  // The copy has the fault, too.
  await ask(standby.url, MEND);
  // The loss.
  expect(
    await ask(
      standby.url,
      'select status, sent_at from redemptions join placements using (operation_id)',
    ),
  ).toEqual({
    status: 'HELD',
    sent_at: null,
  });
  await ask(standby.url, LATE_EVENT);
  // The processes read as ever.
  await until(async () => expect(await scene.balances()).toMatchObject({ reservedBalance: 1000 }));

  // Who asks again is refused, and a reconciliation takes the payment up again and does not send it.
  expect((await redeem(client, gift, request)).body.statusCode).toBe(503);
  const refused = await reconcileUntilRefused(scene);
  const operator = commandsOn({
    ...providerSettings(stack.sandbox),
    MOBILE_MONEY_PROVIDER: 'mpesa',
    DATABASE_URL: standby.url,
  });
  expect(await operator.json('recovery status')).toMatchObject({
    fence: null,
    timeline: 2,
    acceptedTimeline: 1,
  });
  expect((await operator.admin('recovery lift --why early')).err).toContain('recovery fence');
  expect(await operator.json('recovery fence')).toMatchObject({ changed: true });
  const file = join(directory, 'statement.csv');
  await writeFile(file, await statementOf(scene));
  expect(await operator.json(['recovery', 'book', '--mpesa-statement', file])).toMatchObject({
    isComplete: true,
  });
  expect(sentBy(scene), 'under the fence').toEqual(sent);
  expect(await ask(standby.url, NUMBER_OF_LATE_EVENT)).toEqual({ number: null });

  await operator.json(['recovery', 'lift', '--why', 'booked']);
  expect(await operator.json('recovery status')).toMatchObject({
    fence: null,
    acceptedTimeline: 2,
  });
  await until(async () =>
    expect((await redeem(client, gift, request)).body.statusCode).not.toBe(503),
  );
  await refused.result();
  // No number that the lost primary may have given.
  await until(async () => {
    const { number } = (await ask(standby.url, NUMBER_OF_LATE_EVENT)) ?? {};
    expect(Number(number)).toBeGreaterThan(1_000_000_000);
  });
  await scene.untilStatus(gift, 'REDEEMED');
  expect(scene.amountsPaidTo(merchant)).toEqual(['975.00 completed']);
  await scene.stop();
  await toService.close();
  await standby.stop();
});

const MEND = `do $$ declare fault text; begin
  for fault in select proname from pg_proc where proname like 'fault\\_%' loop
    execute format('drop function %I cascade', fault);
  end loop;
end $$`;

/** Written behind the fence, as the outcome of a payment that was made before it. */
const LATE_EVENT = `insert into events (company_kind, company_id, type, subject, data)
  select company_kind, company_id, 'voucher.expired', 'voucher:late', '{}' from events limit 1`;
const NUMBER_OF_LATE_EVENT = "select number from events where subject = 'voucher:late'";

/** Everything that left the service. */
const sentBy = ({ stack: { sandbox } }: RedemptionScene) => ({
  payouts: sandbox.books.payouts(),
  messages: sandbox.books.messages(),
  topups: sandbox.books.topups(),
});

/** Starts a reconciliation, and waits until the fence has refused a payment that it takes up again. */
async function reconcileUntilRefused({ stack: { temporal, config } }: RedemptionScene) {
  const reconciliation = await temporal.client.workflow.start('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: config.temporal.temporalTaskQueue,
  });
  await reconciliation.result();
  return until(async () => {
    for await (const { workflowId } of temporal.client.workflow.list({
      query: `TaskQueue = '${config.temporal.temporalTaskQueue}' and ExecutionStatus = 'Running'`,
    })) {
      const handle = temporal.client.workflow.getHandle(workflowId);
      const { events } = await handle.fetchHistory();
      const failures = events?.map((event) => event.markerRecordedEventAttributes?.failure);
      if (failures?.some((one) => one?.applicationFailureInfo?.type === 'Maintenance'))
        return handle;
    }
    throw new Error('Nothing waits for the fence');
  });
}

/** M-Pesa's organisation statement of today. */
async function statementOf({ stack: { sandbox } }: RedemptionScene): Promise<string> {
  const zone = 'Africa/Addis_Ababa';
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format();
  const answer = await fetch(`${sandbox.url}/statements/mpesa/${day}.csv?zone=${zone}`);
  return answer.text();
}
