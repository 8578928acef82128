import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastClosedDay } from '../../src/domain/day-report.ts';
import {
  compareStatementsId,
  expireVouchersId,
  reconcileId,
} from '../../workflows/workflow-ids.ts';
import { commandsOn } from '../admin/scene.ts';
import { lastClosing } from '../db/reports/last-closing.ts';
import { invitationsOn } from '../pages/portal/invitation-scene.ts';
import { until } from '../support/until.ts';
import { alertProofs } from './alert-proofs.ts';
import type { Scrapes } from './firing-alerts.ts';
import { type MonitoredScene, setMonitoredScene } from './monitored-scene.ts';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.ts';

const { allHaveFired, expectAlert, expectAlerts, expectNoAlert } =
  alertProofs('alerts-of-schedules');

const ZONE = 'Africa/Addis_Ababa';
const settings = { PROVIDER_STATEMENT_TRIES: '1' };

let scene: MonitoredScene;
beforeAll(async () => {
  await findPromtool();
  scene = await setMonitoredScene(settings);
}, PROMTOOL_LIMIT_MS);
afterAll(() => scene?.gifts.stop());

const scheduleOf = (idOf: (taskQueue: string) => string) =>
  scene.gifts.stack.temporal.client.schedule.getHandle(
    idOf(scene.gifts.stack.config.temporal.temporalTaskQueue),
  );
const nothing = async () => {};

describe('a Schedule', () => {
  test('that is paused', async () => {
    const schedule = scheduleOf(reconcileId);
    await schedule.pause();
    await expectAlert(await scene.during(nothing), 180, 'ScheduleLate');
    await schedule.unpause();
  });

  test('that runs daily and is paused: it is late two days later', async () => {
    const schedule = scheduleOf(compareStatementsId);
    await schedule.pause();
    const paused = await scene.during(nothing);
    const hoursLater = (hours: number): Scrapes => ({
      ...paused,
      at: new Date(paused.at.getTime() + hours * 3_600_000),
    });
    const ofStatements = { schedule: 'statements' };
    expect(await scene.value('schedule_interval_seconds', ofStatements)).toBe(86_400);
    // The other Schedules do not run in the scrapes, either: they are asked about by name.
    const alone = (scrapes: Scrapes): Scrapes => ({
      ...scrapes,
      before: onlyOf('statements', scrapes.before),
      after: onlyOf('statements', scrapes.after),
    });
    await expectNoAlert(alone(hoursLater(40)), 15, 'ScheduleLate');
    await expectAlert(alone(hoursLater(49)), 15, 'ScheduleLate');
    await schedule.unpause();
  });
});

/** A scrape with the times of one Schedule alone. */
const onlyOf = (schedule: string, text: string): string =>
  text
    .split('\n')
    .filter((line) => !/_schedule_/.test(line) || line.includes(`schedule="${schedule}"`))
    .join('\n');

describe('a day report by e-mail', () => {
  const commands = () => commandsOn({ DATABASE_URL: scene.gifts.stack.urlFor('operator') });
  const outboxOf = () => scene.value('outbox_waiting', { outbox: 'day-reports' });

  /** Registers somebody before the last day closed, and sends what is due. */
  async function sendTo(email: string): Promise<void> {
    const { database } = scene.gifts.stack;
    await commands().json(`money report-recipient add --email ${email}`);
    await sql`update report_recipients set created_at = ${lastClosing(ZONE)} - interval '1 hour'
      where email = ${email}`.execute(database);
    await scheduleOf(expireVouchersId).trigger();
  }

  test('that the mail server does not take for ten minutes', async () => {
    const email = 'busy-finance@mail.example';
    await sendTo(email);
    await until(async () => expect(await outboxOf()).toBe(1));
    const waiting = await scene.during(async () => {
      // It is tried again meanwhile, and stays in the outbox.
      const dueAt = await dueOf(email);
      await until(async () => expect(await dueOf(email)).not.toEqual(dueAt));
    });
    await expectAlert(waiting, 20, 'OutboxStuck');
    await commands().json(`money report-recipient remove --email ${email}`);
    await until(async () => expect(await outboxOf()).toBe(0));
  });

  test('that it refuses', async () => {
    const undelivered = () => scene.value('emails_undelivered', { queue: 'day-reports' });
    expect(await undelivered()).toBe(0);
    const refused = await scene.during(async () => {
      await sendTo('refused-finance@mail.example');
      await until(async () => expect(await undelivered()).toBe(1));
    });
    await expectAlerts(refused, 10, ['EmailsUndelivered']);
    const { database } = scene.gifts.stack;
    await sql`update outbox set settled_at = settled_at - interval '25 hours'
      where state = 'REFUSED'`.execute(database);
    await expectAlerts(await scene.during(nothing), 10, []);
  });

  async function dueOf(email: string): Promise<Date | undefined> {
    const { rows } = await sql<{ due_at: Date }>`
      select due_at from outbox join report_recipients as report on report.id = recipient
      where kind = 'day-reports' and report.email = ${email}
        and subject = ${lastClosedDay(new Date(), ZONE)}`.execute(scene.gifts.stack.database);
    return rows[0]?.due_at;
  }
});

test('an invitation that reached nobody', async () => {
  const invitations = invitationsOn(scene.gifts.stack);
  const { id } = await invitations.newMerchant({ mailbox: 'refused', suffix: '002' });
  const unreached = await scene.during(async () => {
    await invitations.untilStatus(await invitations.invite(id), 'UNDELIVERED');
    await until(async () =>
      expect(await scene.value('emails_undelivered', { queue: 'invitations' })).toBe(1),
    );
  });
  await expectAlerts(unreached, 10, ['EmailsUndelivered']);
});

test('a Schedule whose run fails, since the provider shows no statement', async () => {
  const { faults } = scene.gifts.stack.sandbox;
  const schedule = scheduleOf(compareStatementsId);
  const resultOf = () => scene.value('schedule_last_run_succeeded', { schedule: 'statements' });
  const runTo = async (result: 0 | 1) => {
    await schedule.trigger();
    await until(async () => expect(await resultOf()).toBe(result));
  };
  faults.set('gsma', { ...faults.of('gsma'), down: true });
  await expectAlert(await scene.during(() => runTo(0)), 15, 'ScheduleFailed');
  faults.clear();
  await expectNoAlert(await scene.during(() => runTo(1)), 15, 'ScheduleFailed');
});

allHaveFired();
