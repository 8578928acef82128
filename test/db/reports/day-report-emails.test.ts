import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastClosedDay } from '../../../src/domain/day-report.ts';
import {
  createFailpoint,
  type Failpoint,
  failpoints,
} from '../../../src/runtime/process/failpoint.ts';
import { commandsOn } from '../../admin/scene.ts';
import { type GiftScene, setGiftScene } from '../../end-to-end/gift/gift-scene.ts';
import { until } from '../../support/until.ts';
import { lastClosing } from './last-closing.ts';

const ZONE = 'Africa/Addis_Ababa';

let scene: GiftScene;
let armed: Failpoint = () => undefined;

beforeAll(async () => {
  scene = await setGiftScene(
    { WORKER_PICKUP_SECONDS: '0.05' },
    { failpoint: (name) => armed(name) },
  );
  await scene.redeemed(scene.asMerchant, await scene.gift());
});
afterAll(() => scene?.stop());

const day = () => lastClosedDay(new Date(), ZONE);

const commands = () => commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });

/** Somebody who has been registered before the last day closed, at a mailbox as its name says. */
async function recipient(mailbox = 'somebody'): Promise<string> {
  const email = `${mailbox}-${randomUUID()}@mail.example`;
  await commands().json(`money report-recipient add --email ${email}`);
  await scene.stack.database
    .updateTable('report_recipients')
    .set({ created_at: sql<Date>`${lastClosing(ZONE)} - interval '1 hour'` })
    .where('email', '=', email)
    .execute();
  return email;
}

const countOf = async (state: string): Promise<number> => {
  const { rows } = await sql`
    select from outbox where kind = 'day-reports' and state = ${state}`.execute(
    scene.stack.database,
  );
  return rows.length;
};

/** Runs the expiry run. */
const runExpiry = () =>
  scene.stack.temporal.client.workflow.execute('expireVouchers', {
    workflowId: `expiry-${randomUUID()}`,
    taskQueue: scene.stack.config.temporal.temporalTaskQueue,
  });

/** Waits until no report is left to be sent, and tells how many were sent. */
async function sentBy(work: () => Promise<unknown>): Promise<number> {
  const before = await countOf('SENT');
  await work();
  await until(async () =>
    expect([await countOf('QUEUED'), await countOf('SENDING')]).toEqual([0, 0]),
  );
  return (await countOf('SENT')) - before;
}

const mailsTo = (email: string) => scene.stack.sandbox.books.mails(email);

const outcomeOf = async (email: string) => {
  const rows = await commands().json('money report-recipient list');
  return rows.find((row: { email: string }) => row.email === email)?.lastOutcome;
};

test('each recipient gets the report of a day once; a new one none from before', async () => {
  const email = await recipient();
  const late = `late-${randomUUID()}@mail.example`;
  await commands().json(`money report-recipient add --email ${late}`);
  expect(
    (await commands().admin(`money report-recipient add --email ${late.toUpperCase()}`)).out,
  ).toContain('No change');
  expect(await sentBy(runExpiry)).toBe(1);
  expect(await sentBy(runExpiry)).toBe(0);
  const [mail, ...others] = mailsTo(email);
  expect(others).toEqual([]);
  expect(mailsTo(late)).toEqual([]);
  expect(mail?.subject).toContain(day());
  expect(mail?.attachments.map(({ name }) => name)).toEqual([
    `day-report-${day()}.html`,
    `day-report-${day()}.csv`,
  ]);
  const { out } = await commands().admin(`money report --day ${day()} --format csv`);
  const figures = (text: string) => text.split('\n').filter((line) => !line.startsWith('"Report"'));
  expect(figures(mail?.attachments[1]?.content.trim() ?? '')).toEqual(figures(out.trim()));
  expect(await outcomeOf(email)).toBe('SENT');
});

test('a fault at any step costs no e-mail, and sends none twice but under its Message-ID', async () => {
  const emails: string[] = [];
  for (const step of failpoints.outbox) {
    emails.push(await recipient());
    armed = createFailpoint(`${step}:throw`);
    await sentBy(runExpiry);
  }
  armed = () => undefined;
  const ids = emails.map((email) => mailsTo(email).map(({ messageId }) => messageId));
  expect(ids.map((one) => new Set(one).size)).toEqual([1, 1, 1, 1, 1]);
  // After "sent", the e-mail was out and not recorded.
  expect(ids.map((one) => one.length)).toEqual([1, 1, 1, 2, 1]);
});

test('what the mail server does not take is tried again; what it refuses, or may have taken, is not', async () => {
  const busy = await recipient('busy');
  const refused = await recipient('refused');
  const dropped = await recipient('dropped');
  const free = busy.replace('busy', 'free');
  const sent = await sentBy(async () => {
    await runExpiry();
    await until(async () => {
      const { rows } = await sql`select from outbox
        where kind = 'day-reports' and state = 'QUEUED' and attempts > 0`.execute(
        scene.stack.database,
      );
      expect(rows).toHaveLength(1);
    });
    await scene.stack.database
      .updateTable('report_recipients')
      .set({ email: free })
      .where('email', '=', busy)
      .execute();
  });
  expect(sent).toBe(1);
  expect(mailsTo(free)).toHaveLength(1);
  expect([await outcomeOf(refused), await outcomeOf(dropped)]).toEqual(['REFUSED', 'UNKNOWN']);
  // One that may have arrived is no alert.
  expect(await commands().json('desk list-undelivered-emails')).toMatchObject([
    { queue: 'day-reports', period: day(), email: refused, companyKind: null, outcome: 'REFUSED' },
  ]);
});

/** Transfers of a day whose sum is beyond what a report can hold; returns their removal. */
async function unreadable(atDay: string): Promise<() => Promise<unknown>> {
  const { database } = scene.stack;
  const asReplica = (query: ReturnType<typeof sql>) =>
    database.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      await query.execute(transaction);
    });
  await asReplica(sql`
    insert into ledger_transfers
      (created_at, operation_id, step, debit_account_id, credit_account_id, amount)
    select (${atDay}::timestamp + interval '12 hours') at time zone ${ZONE}::text,
      'unreadable-' || number, step, debit_account_id, credit_account_id, 99999999999999
    from (select * from ledger_transfers order by id limit 1) as copied
    cross join generate_series(1, 2) as number`);
  return () => asReplica(sql`delete from ledger_transfers where operation_id like 'unreadable-%'`);
}

test('a report that cannot be made holds up no other one, and is sent once it can be', async () => {
  const email = await recipient();
  await scene.stack.database
    .updateTable('report_recipients')
    .set({ created_at: sql<Date>`${lastClosing(ZONE)} - interval '25 hours'` })
    .where('email', '=', email)
    .execute();
  const before = new Date(Date.parse(day()) - 86_400_000).toISOString().slice(0, 10);
  const remove = await unreadable(before);
  const sent = await sentBy(async () => {
    await runExpiry();
    await until(() => expect(mailsTo(email)).toHaveLength(1)).finally(remove);
    expect(mailsTo(email)[0]?.subject).toContain(day());
  });
  expect(sent).toBe(2);
  const subjects = mailsTo(email).map(({ subject }) => subject);
  expect(subjects).toContainEqual(expect.stringContaining(before));
});

test('nobody gets a report after the removal, and the audit log says who chose', async () => {
  const email = await recipient();
  armed = ((name: string) =>
    name === 'outbox-read'
      ? commands().json(`money report-recipient remove --email ${email}`)
      : undefined) as never;
  expect(await sentBy(runExpiry)).toBe(0);
  armed = () => undefined;
  expect(mailsTo(email)).toEqual([]);
  expect((await commands().admin(`money report-recipient remove --email ${email}`)).code).toBe(1);
  const rows = await scene.stack.database
    .selectFrom('audit_log')
    .select(['actor', 'action'])
    .where(sql<boolean>`details ->> 'email' = ${email}`)
    .orderBy('id')
    .execute();
  expect(rows).toEqual([
    { actor: 'hanna', action: 'add report-recipient' },
    { actor: 'hanna', action: 'remove report-recipient' },
  ]);
});
