import { type DatabaseConnection, sql } from 'kysely';
import { parseMoney } from '../domain/money.ts';
import { maskMsisdn } from '../domain/phone.ts';
import type { ProviderStatementLine } from '../domain/positions/statement-line.ts';
import {
  addRow,
  allRows,
  allValues,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  onlyRow,
  updateRow,
} from './connection.ts';
import { book } from './positions/book.ts';
import { type BookSettings, observed } from './positions/change.ts';
import { lockOrder, lostOperationId } from './positions/orders.ts';
import { doubt, isOnHold } from './positions/placements.ts';
import type { OrderAtProvider } from './positions/sendings.ts';
import { typedLines } from './provider-statements/compare-lines.ts';
import { asOurs, type StatementProvider } from './provider-statements/statements.ts';

/** The fence of a restored database; while it stands, the service serves only reads. */
export type Fence = NonNullable<Awaited<ReturnType<typeof standingFence>>>;

/** The fence, if there is one. */
export const standingFence = (database: Database) =>
  database
    .selectFrom('maintenance_fences')
    .select([
      'id',
      'raised_at as raisedAt',
      // The database lacks what happened after this moment.
      'restored_to as restoredTo',
      // When the operations of the providers were booked completely; null: not yet.
      'booked_at as bookedAt',
    ])
    .where('state', '=', 'MAINTENANCE')
    .executeTakeFirst();

/** The state that processes look at before they change or send anything. */
interface FenceFacts {
  readonly isFenced: boolean;
  /** Of PostgreSQL: a promotion or a restore begins another timeline. Null on a standby. */
  readonly timeline: number | null;
  /** The timeline that an operator has accepted last, or the first one. */
  readonly acceptedTimeline: number;
  readonly now: Date;
}

/** Without synchronous replication the last commits before a new timeline may be lost. */
const isNewTimeline = (
  { timeline, acceptedTimeline }: FenceFacts,
  isSynchronous: boolean,
): boolean => timeline !== null && timeline !== acceptedTimeline && !isSynchronous;

/**
 * Why nothing may be changed or sent: the one rule of processes and commands.
 *
 * @param isSynchronous whether each commit is at the standby that is promoted: then a promotion loses nothing
 */
export function whyFenced(
  facts: FenceFacts,
  isSynchronous: boolean,
): 'fence' | 'standby' | 'new timeline' | undefined {
  if (facts.isFenced) return 'fence';
  if (facts.timeline === null) return 'standby';
  return isNewTimeline(facts, isSynchronous) ? 'new timeline' : undefined;
}

/** The timeline of the server, as names of its log begin; null on a standby, which has none to write. */
const timeline = sql<number | null>`case when not pg_is_in_recovery()
  then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint end`;

/** Whether the fence stands, the timeline, and what time it is at the database, in one round trip. */
const fenceFacts = sql<FenceFacts>`
  select exists (select from maintenance_fences where state = 'MAINTENANCE') as "isFenced",
    ${timeline} as timeline, (select timeline from database_timeline) as "acceptedTimeline",
    clock_timestamp() as now`;

export const readFence = async (database: Database): Promise<FenceFacts> =>
  only(await fenceFacts.execute(database));

/** Reads the fence on one connection that no pool knows yet. */
const readFenceOn = async (
  connection: DatabaseConnection,
  database: Database,
): Promise<FenceFacts> => only(await connection.executeQuery(fenceFacts.compile(database)));

function only({ rows }: { readonly rows: readonly FenceFacts[] }): FenceFacts {
  const [found] = rows;
  if (!found) throw new Error('The database does not tell its time');
  return found;
}

/** Accepts the present timeline. */
export async function acceptTimeline(transaction: DatabaseTransaction): Promise<void> {
  await sql`
    update database_timeline set timeline = ${timeline}, accepted_at = clock_timestamp()`.execute(
    transaction,
  );
}

/** How commits reach standbys, as the settings of PostgreSQL say it. */
export const replicationSettings = (database: Database) =>
  onlyRow<{ readonly synchronousCommit: string; readonly standbyNames: string }>(database)`
    select current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('synchronous_standby_names') as "standbyNames"`;

/** Raises the fence; returns its id. Only one can stand. */
export const raiseFence = (transaction: DatabaseTransaction, restoredTo: Date) =>
  addRow(transaction, 'maintenance_fences', {
    restored_to: restoredTo,
    state: 'MAINTENANCE',
  });

/** Records that everything that the providers did is booked. */
export const markBooked = (transaction: DatabaseTransaction, fenceId: number) =>
  updateRow(transaction, 'maintenance_fences', fenceId, {
    booked_at: sql<Date>`clock_timestamp()`,
  });

/** Lifts the fence. */
export const liftFence = (transaction: DatabaseTransaction, fenceId: number) =>
  updateRow(transaction, 'maintenance_fences', fenceId, {
    state: 'LIFTED',
    lifted_at: sql<Date>`clock_timestamp()`,
  });

/**
 * The time of the newest request, or else of the newest transfer: the database was restored to this moment or a
 * later one. A transfer may be younger than the restore. A promoted standby books answers and deposits, and begins
 * no request.
 */
export const newestRequest = (database: Database) =>
  firstValue<Date | null>(database, null)`
    select coalesce((select max(created_at) from operations),
      (select created_at from ledger_transfers order by id desc limit 1))`;

/** The numbers of events have an epoch of their own (src/db/events.ts). */
const EVENT_NUMBERS = 'event_numbers';

/**
 * Advances every identity, so that no number is given again that was given since the backup: the
 * providers, Temporal and companies know these numbers. Returns how many identities it advanced.
 */
export async function skipIdentities(
  transaction: DatabaseTransaction,
  numbers: number,
): Promise<number> {
  const sequences = await allValues<string>(transaction)`
    select format('%I.%I', schemaname, sequencename) from pg_sequences
    where schemaname = 'public' and sequencename <> ${EVENT_NUMBERS}
    order by sequencename`;
  for (const sequence of sequences)
    await sql`
      select setval(${sequence}::regclass, last_value + ${numbers})
      from ${sql.raw(sequence)}`.execute(transaction);
  return sequences.length;
}

/** Knows whether a fence stands, without a round trip for each caller. */
export interface FenceWatch {
  /** True also while the database has gone: it may come back restored. */
  isFenced(): boolean;
  /** Looks on a new connection before its first statement: it may lead to another server. */
  lookOn(connection: DatabaseConnection): Promise<void>;
  stop(): void;
}

interface FenceWatchOptions {
  readonly intervalMs: number;
  /** See `whyFenced`. */
  readonly isSynchronous: boolean;
  /**
   * Called with each look: the seconds by which the clock of this process is ahead of the database's clock, to half
   * the time of the round trip.
   */
  readonly noteClock: (aheadSeconds: number) => void;
  /** Called when the timeline of the server differs from the accepted timeline. */
  readonly noteNewTimeline: (facts: FenceFacts) => void;
}

/** Time between two looks while the database has gone. */
const RETRY_MS = 100;

/** A slower answer says too little about when the database read its clock. */
const CLOCK_LIMIT_MS = 1_000;

/**
 * Looks for the fence before the process serves anything, and then at an interval. The fence is
 * written before processes start, so that a process which has started without one has no reason to
 * ask with every request. A process that lives through a restore loses its connections, and is
 * fenced until it has looked again. A promoted standby may lack the last commits, and has a fence from
 * its first moment: its timeline is new.
 *
 * @param database has a connection for this alone, so that a busy pool delays no look
 */
export async function watchFence(
  database: Database,
  { intervalMs, isSynchronous, noteClock, noteNewTimeline }: FenceWatchOptions,
): Promise<FenceWatch> {
  let isFenced = true;
  let isStopped = false;
  let isNoted = false;
  let newest = 0;
  let timer: NodeJS.Timeout | undefined;

  function take(facts: FenceFacts): void {
    const { timeline } = facts;
    const isNew = isNewTimeline(facts, isSynchronous);
    // A server of an earlier timeline has been replaced, and its commits are lost.
    const isOld = timeline !== null && timeline < newest;
    newest = Math.max(newest, timeline ?? 0);
    isFenced = whyFenced(facts, isSynchronous) !== undefined || isOld;
    if (isNew && !isNoted) noteNewTimeline(facts);
    isNoted = isNew;
  }

  async function look(): Promise<void> {
    let pauseMs = intervalMs;
    try {
      const startedAt = performance.now();
      const facts = await readFence(database);
      const tookMs = performance.now() - startedAt;
      take(facts);
      if (tookMs < CLOCK_LIMIT_MS)
        noteClock((Date.now() - tookMs / 2 - facts.now.getTime()) / 1_000);
    } catch {
      isFenced = true;
      pauseMs = Math.min(RETRY_MS, intervalMs);
    }
    if (isStopped) return;
    timer = setTimeout(() => void look(), pauseMs);
    timer.unref();
  }

  await look();
  return {
    isFenced: () => isFenced,
    async lookOn(connection) {
      try {
        take(await readFenceOn(connection, database));
      } catch {
        isFenced = true;
      }
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * How a payment or top-up of a provider stands in our books.
 *
 * - `lost`: the provider did it, or may do it, and our row is gone.
 * - `open`: on hold; its workflow asks the provider.
 * - `differs`: the comparison of provider statements finds another outcome in our row.
 * - `agrees`: our row says the same, or neither a row nor an effect exists.
 * - `recovered`: booked in suspense.
 * - `foreign`: without a reference of ours.
 */
type Verdict = 'lost' | 'open' | 'differs' | 'agrees' | 'recovered' | 'foreign';

/** A payment or top-up that a provider lists after a restore, with our reference, compared with our books. */
export interface ListedOrder extends ProviderStatementLine {
  readonly kind: 'payment' | 'top-up';
  readonly provider: string;
  readonly verdict: Verdict;
  /** Whether the provider is asked about it: our order is not there, or ended otherwise. */
  readonly isAsked: boolean;
}

const BATCH_SIZE = 1_000;

/**
 * Compares the payments or top-ups that a provider lists with our books, by the rules of provider statements. An order
 * may be placed at another provider, or be lost as a whole.
 */
export async function compareListed(
  database: Database,
  provider: StatementProvider,
  lines: readonly ProviderStatementLine[],
): Promise<ListedOrder[]> {
  const compared: ListedOrder[] = [];
  const given = new Map(lines.map((line) => [line.providerReference, line]));
  for (let begin = 0; begin < lines.length; begin += BATCH_SIZE) {
    const rows = await allRows<ListedOrder>(database)`
      with all_lines as materialized (${asOurs(provider, lines.slice(begin, begin + BATCH_SIZE))}),
      day_facts as (select false as is_old, clock_timestamp() as told_at),
      ${typedLines(provider.name)},
      judged as (
        select typed.*, present.provider as present, is_moving, case
            when typed.reference is null then 'foreign'
            when ${isOnHold(sql`present.operation_id`)} then 'open'
            when placement_id is not null and typed.operation_id is null then 'recovered'
            when present.operation_id is null then case when is_moving then 'lost' else 'agrees' end
            when case when placement_id is null then is_moving else what is not null end then 'differs'
            else 'agrees' end as verdict
        from typed
        -- A failed or reversed one moved nothing in the end.
        cross join lateral (select status in ('completed', 'pending') as is_moving) as facts
        left join lateral (
          select provider, operation_id from placements
          where placements.reference = typed.reference and kind <> 'reversal'
          order by position desc limit 1) as present on true
      )
      select kind, ${provider.name} as provider, reference, provider_reference as "providerReference", status,
        amount::text as amount, currency, at, verdict,
        -- The workflow of an order on hold asks the provider that it is at.
        verdict = 'differs' or verdict = 'open' and is_moving and present <> ${provider.name} as "isAsked"
      from judged order by at`;
    // Our books keep no personal data of a line.
    compared.push(...rows.map((row) => ({ ...given.get(row.providerReference), ...row })));
  }
  return compared;
}

/** An operation that a provider did, or may still do, and that a restore lost. */
export interface LostOrder
  extends OrderAtProvider,
    Pick<ListedOrder, 'kind' | 'providerReference' | 'at'> {
  /** As the provider names who received it; only the masked text is stored. */
  readonly party: string | null;
  /** Decimal string in ETB. */
  readonly amount: string;
  /** The serial number of its voucher, if the provider has it. */
  readonly serialNumber: string | null;
}

/**
 * Books an operation that a restore lost: the provider has done it, and no company was charged, so
 * that the amount is in suspense. It ends when the request is repeated, which finds it, or when an
 * operator settles its case. An operation that the provider may still do counts as done.
 * Idempotent; returns whether it was booked now.
 */
export async function bookLost(
  transaction: DatabaseTransaction,
  lost: LostOrder,
  settings: BookSettings,
): Promise<boolean> {
  const { kind, provider, reference, amount, party, providerReference, at } = lost;
  const row = await firstRow<{ id: number }>(transaction)`
    insert into placements (kind, reference, provider, voucher_id, ordered, position)
    values (${kind}, ${reference}, ${provider},
      (select id from vouchers where serial_number = ${lost.serialNumber}), ${amount}::numeric,
      (select count(*) + 1 from placements where reference = ${reference}))
    on conflict (reference, provider) do nothing
    returning id`;
  if (!row) return false;
  const order = await lockOrder(transaction, lostOperationId(reference));
  const after = observed(order.position, row.id, {
    at: at.getTime(),
    source: 'recovery',
    said: 'done',
    amount: parseMoney(amount),
    ...(providerReference !== null && { providerReference }),
    ...(party !== null && { message: `To ${maskMsisdn(party)}` }),
  });
  await book(transaction, order, after, { source: 'recovery' }, settings);
  return true;
}

/**
 * Lets the providers be asked about an order that one of them lists: the database may have been restored to before this
 * provider got it. The workflow of an order on hold asks that provider next.
 */
export async function askAboutListed(
  transaction: DatabaseTransaction,
  { reference, provider }: OrderAtProvider,
): Promise<void> {
  const position = await firstValue(transaction, 0)`
    insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, position)
    select kind, reference, ${provider}, operation_id, voucher_id, ordered,
      case when ${isOnHold(sql`placements.operation_id`)} then position + 1 else 0 end
    from placements
    where reference = ${reference} and kind <> 'reversal' and operation_id is not null
    order by position desc limit 1
    on conflict (reference, provider) do nothing returning position`;
  // An order on hold that moves on leaves a provider that has not answered.
  await doubt(transaction, position > 0 ? { reference } : { reference, provider });
}
