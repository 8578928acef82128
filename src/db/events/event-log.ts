import { sql } from 'kysely';
import type { EventType } from '../../domain/event-types.ts';
import type { Company } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';

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

export interface EventPage {
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
  const { rows } = await sql<{
    epoch: string;
    oldest: number | null;
    newest: number | null;
    found: readonly Row[] | null;
  }>`
    select (select epoch from event_epochs order by id desc limit 1) as epoch,
      (select min(number) from events) as oldest, (select max(number) from events) as newest,
      (select json_agg(found order by number) from (
        select number, created_at as "createdAt", type, subject, data,
          ${types ? sql`type = any(${types}::text[])` : sql`true`} as "isWanted"
        from events
        where company_kind = ${company.kind} and company_id = ${company.id}
          and number > ${after?.number ?? 0}
        order by number limit ${searched}) as found) as found`.execute(database);
  const [log] = rows;
  if (!log) throw new Error('The log of events has no epoch');
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
