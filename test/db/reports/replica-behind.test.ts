import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutboxDependencies } from '../../../activities/outbox/kinds.ts';
import { createOutboxSenders } from '../../../activities/outbox/outbox.ts';
import { connectDatabase, type Database } from '../../../src/db/connection.ts';
import { queueMessages, withDueMessages } from '../../../src/db/outbox.ts';
import { readDayReport } from '../../../src/db/reports/day-report.ts';
import { addReportRecipient } from '../../../src/db/reports/emails.ts';
import { lastClosedDay } from '../../../src/domain/day-report.ts';
import type { Email } from '../../../src/providers/email.ts';
import { dayReportFiles } from '../../../src/rendering/report-files.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { lastClosing } from './last-closing.ts';

const ZONE = 'Africa/Addis_Ababa';
const day = lastClosedDay(new Date(), ZONE);

let open: OpenDatabase;
/** The same data, which says of itself when it last got a commit. */
let replica: Database;

beforeAll(async () => {
  open = await openDatabase();
  await sql`create schema replica`.execute(open.database);
  await sql`
    create function replica.pg_is_in_recovery() returns boolean language sql as 'select true'`.execute(
    open.database,
  );
  const options = encodeURIComponent('-c search_path=replica,public,pg_catalog');
  replica = connectDatabase(`${open.url}?options=${options}`, { poolSize: 1 });
});
afterAll(async () => {
  await replica?.destroy();
  await open?.close();
});

/** The replica has what was written up to so many seconds before the day closed. */
const isBehind = async (seconds: number) => {
  const { rows } = await sql<{ at: Date }>`
    select ${lastClosing(ZONE)} - make_interval(secs => ${seconds}::int) as at`.execute(
    open.database,
  );
  const at = rows[0]?.at.toISOString() ?? '';
  await sql`
    create or replace function replica.pg_last_xact_replay_timestamp() returns timestamptz language sql
    as ${sql.lit(`select timestamptz '${at}'`)}`.execute(open.database);
};

/** Sends what is due, and tells the subjects of the e-mails. */
async function sent(): Promise<string[]> {
  const subjects: string[] = [];
  const senders = createOutboxSenders(
    {
      database: open.database,
      readDatabase: replica,
      dayReportFiles,
      failpoint: () => undefined,
      emailSender: {
        async send({ subject }: Email) {
          subjects.push(subject);
          return { kind: 'delivered', providerReference: '1' };
        },
      },
      settings: {
        market: { marketTimeZone: ZONE },
        providerGuard: { providerCallWaitSeconds: 1, providerDeadlineSeconds: 1 },
      },
    } as unknown as OutboxDependencies,
    createLogger('silent', 'test'),
  );
  await sql`update outbox set due_at = now() where settled_at is null`.execute(open.database);
  for (const sender of await withDueMessages(open.database, senders)) await sender.send(() => true);
  return subjects;
}

test('a report waits for a replica that is behind the day, and says so meanwhile', async () => {
  const { database } = open;
  const recipient = await database
    .transaction()
    .execute((transaction) => addReportRecipient(transaction, 'finance@service.example'));
  await queueMessages(sql`
    select 'day-reports', ${day}::text, 'EMAIL', ${recipient}::bigint, 'day-report'`).execute(
    database,
  );
  await isBehind(1);
  expect(await readDayReport(replica, { day, zone: ZONE })).toMatchObject({ isClosed: false });
  expect(await sent()).toEqual([]);
  await isBehind(0);
  expect(await readDayReport(replica, { day, zone: ZONE })).toMatchObject({ isClosed: true });
  expect(await sent()).toEqual([expect.stringContaining(day)]);
});
