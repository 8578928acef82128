import { sql } from 'kysely';
import type { EventType } from '../domain/events.ts';
import type { Company } from '../domain/vouchers/voucher.ts';
import {
  changedRows,
  type Database,
  type DatabaseTransaction,
  getsLock,
  hasRows,
  onlyRow,
} from './connection.ts';

/** More events than can have been numbered between a backup and its restore. */
const SKIPPED_NUMBERS = 1_000_000_000;

/**
 * Gives the log a new epoch after a restore: cursors from before are refused, because the restore
 * took back events that their readers have. Numbers skip those that were given since the backup, so
 * that no id names two events. Returns the id of the epoch.
 */
export async function renewEventEpoch(transaction: DatabaseTransaction): Promise<number> {
  await sql`
    select setval('event_numbers', last_value + ${SKIPPED_NUMBERS}) from event_numbers`.execute(
    transaction,
  );
  const { id } = await transaction
    .insertInto('event_epochs')
    .defaultValues()
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A place in the log: after the event with this number. */
export interface LogPosition {
  /** Of the log: a restore changes it, because it may take back numbers. */
  readonly epoch: string;
  readonly number: number;
}

interface LoggedEvent {
  readonly number: number;
  readonly createdAt: Date;
  readonly type: EventType;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** Where the next page begins; it moves on without events, too. */
  readonly next: LogPosition;
  readonly hasMore: boolean;
}

/** The most events that one query looks through for the wanted types. */
const SEARCHED = 1_000;

interface Row extends LoggedEvent {
  readonly isWanted: boolean;
}

/**
 * A page of a company's log, oldest first, in one statement and so in one snapshot. Without a
 * position it begins at the oldest event that is kept. A position of another epoch is outdated, and
 * one after which events were pruned.
 */
export async function readEvents(
  database: Database,
  company: Company,
  {
    after,
    types,
    limit,
  }: {
    readonly after: LogPosition | undefined;
    readonly types: readonly EventType[] | undefined;
    readonly limit: number;
  },
): Promise<EventPage | 'outdated'> {
  const searched = types ? SEARCHED : limit + 1;
  const log = await onlyRow<{
    epoch: string;
    oldest: number | null;
    newest: number | null;
    found: readonly Row[] | null;
  }>(database, 'The log of events has no epoch')`
    select (select epoch from event_epochs order by id desc limit 1) as epoch,
      (select min(number) from events) as oldest, (select max(number) from events) as newest,
      (select json_agg(found order by number) from (
        select number, created_at as "createdAt", type, subject, data,
          ${types ? sql`type = any(${types}::text[])` : sql`true`} as "isWanted"
        from events
        where company_kind = ${company.kind} and company_id = ${company.id}
          and number > ${after?.number ?? 0}
        order by number limit ${searched}) as found) as found`;
  const isPruned = after !== undefined && log.oldest !== null && after.number < log.oldest - 1;
  if (after && (after.epoch !== log.epoch || isPruned)) return 'outdated';

  const found = log.found ?? [];
  const wanted = found.filter(({ isWanted }) => isWanted);
  const events = wanted
    .slice(0, limit)
    .map(({ isWanted: _, ...event }) => ({ ...event, createdAt: new Date(event.createdAt) }));
  const isCut = wanted.length > limit;
  const hasMore = isCut || found.length === searched;
  // Numbers become visible in their order: up to the newest one, no event will be added.
  const number = isCut
    ? events.at(-1)?.number
    : hasMore
      ? found.at(-1)?.number
      : Math.max(log.newest ?? 0, after?.number ?? 0);
  return { events, next: { epoch: log.epoch, number: number ?? 0 }, hasMore };
}

/** Advisory lock of the worker that numbers. */
const NUMBERING_LOCK = 4_127_061_110;

/**
 * Numbers up to `batchSize` committed events in the order of their ids, and returns how many.
 *
 * Identities commit out of order, so the id of an event is no place in the log. One transaction
 * numbers at a time, and the next one begins when its numbers are visible: a reader that has seen a
 * number never later finds a smaller one. Events of one subject keep their order, because their
 * transactions lock the subject's row before they write. Behind the fence of a restore it numbers nothing, because
 * numbers that were given since the backup are skipped only then.
 */
export async function numberEvents(
  database: Database,
  batchSize: number,
  isFenced: () => boolean,
): Promise<number> {
  if (!(await hasRows(database)`select from events where number is null limit 1`)) return 0;
  return database.transaction().execute(async (transaction) => {
    // Another worker numbers them.
    if (!(await getsLock(transaction, NUMBERING_LOCK))) return 0;
    // Asked on this connection, which may be the first one to a promoted standby.
    if (isFenced()) return 0;
    // A new statement: it sees what the lock's last holder has numbered.
    return changedRows(transaction)`
      update events set number = numbered.number
      from (
        select id, nextval('event_numbers') as number
        from (select id from events where number is null order by id limit ${batchSize}) as oldest
      ) as numbered
      where events.id = numbered.id`;
  });
}
