import { type RawBuilder, sql } from 'kysely';
import { formatMoney } from '../../domain/money.ts';
import type { Operator } from '../../domain/phone.ts';
import {
  hasChanged,
  type ObservationSource,
  type PlacementKind,
  type Said,
} from '../../domain/positions/placement.ts';
import { nextAsk } from '../../domain/positions/schedule.ts';
import type { Route, RouteKind } from '../../domain/providers.ts';
import {
  allRows,
  changedRows,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  onlyRow,
  type Sql,
  sendTogether,
} from '../connection.ts';
import { routesFor, routesOfTopup } from '../providers.ts';
import type { Case } from './cases.ts';
import type { AfterPosition, BookSettings, PositionChange } from './change.ts';
import { currentOf, type LockedOrder, type PlacementRow } from './orders.ts';

/** SQL condition: a placement is one of an order, and no reversal. */
const ofOrder = (operationId: Sql) => sql`
  placement.operation_id = ${operationId} and placement.kind <> 'reversal'`;

const placementOf = (operationId: Sql, first: Sql) => sql`(
  select placement.id, placement.reference, placement.provider, placement.provider_reference, placement.said,
    placement.operation_id, placement.voucher_id, placement.ordered, placement.position, placement.silent_since, placement.ask_at
  from placements as placement where ${ofOrder(operationId)} order by ${first} limit 1)`;

/** SQL source: the placement that an order is at by now, as `placed`. The columns are named, because a statement with `*` is not prepared. */
export const currentPlacement = (operationId: Sql) =>
  placementOf(operationId, sql`placement.position desc`);

/** SQL source: the placement of the provider that did an order, or took it back, or else the present one. */
export const doingPlacement = (operationId: Sql) =>
  placementOf(
    operationId,
    sql`placement.done > 0 desc, placement.said = 'undone' desc, placement.position desc`,
  );

/** SQL expression: the provider that an order is at by now. */
export const providerOf = (operationId: Sql) =>
  sql<string>`(select provider from ${currentPlacement(operationId)} as placed)`;

/** SQL expression: the amount of an order. The top-up does not tell it: its later attempt may have another price. */
export const orderedOf = (operationId: Sql) =>
  sql<string>`(select ordered from ${currentPlacement(operationId)} as placed)`;

/** SQL expression: the provider that did an order, or took it back, or else the present one. */
export const doerOf = (operationId: Sql) =>
  sql<string>`(select provider from ${doingPlacement(operationId)} as doing)`;

/** SQL expression: the reference of the provider that did an order, as `doerOf` finds it; null before its answer. */
export const providerReferenceOf = (operationId: Sql) => sql<string | null>`(
  select provider_reference from ${doingPlacement(operationId)} as doing where said <> 'none')`;

/**
 * SQL expression on a placement, for the workflow that waits: the id under which the provider took the order. Our own
 * reference stands for an unknown id of an order that a statement lists as under way. It also stands where a booked answer
 * names the order, such as other content: it is not sent again either.
 */
export const takenAs = (placement: string) => {
  const [said, id, own] = ['said', 'provider_reference', 'reference'].map((column) =>
    sql.ref(`${placement}.${column}`),
  );
  return sql<string | null>`
    case ${said} when 'none' then ${id} when 'pending' then coalesce(${id}, ${own}) when 'nothing' then null
      else ${own} end`;
};

/** SQL expression: the same of the provider that an order is at by now. */
export const takenAsOf = (operationId: Sql) =>
  sql<string | null>`(select ${takenAs('placed')} from ${currentPlacement(operationId)} as placed)`;

/** SQL condition: an order is on hold. */
export const isOnHold = (operationId: Sql) => sql`(
  exists (select from redemptions where redemptions.operation_id = ${operationId} and status = 'HELD')
  or exists (select from topup_attempts where topup_attempts.operation_id = ${operationId}
    and status = 'HELD'))`;

/** A message of a provider about an order, as it was then. */
export interface ShownObservation {
  readonly at: string;
  readonly source: ObservationSource;
  readonly said: Said;
  readonly done: string;
  readonly message: string | null;
  readonly providerReference: string | null;
}

/** An order at one provider, for people. Times are texts in ISO 8601; amounts are decimal strings. */
export interface ShownPlacement {
  readonly kind: PlacementKind;
  readonly provider: string;
  readonly at: string;
  /** Why the outcome of an order on hold is not known; null where nothing told it. */
  readonly openBecause: string | null;
  /** Its first answer and the later changes, in their order; none before the first answer. */
  readonly observations: readonly ShownObservation[];
}

/** The provider that did an order first, with its message of then; undefined where no provider did it. */
export const firstDone = (
  placements: readonly ShownPlacement[],
): (ShownObservation & Pick<ShownPlacement, 'provider'>) | undefined =>
  placements
    .filter(({ kind }) => kind !== 'reversal')
    .flatMap(({ provider, observations }) => observations.map((one) => ({ ...one, provider })))
    .filter(({ said }) => said === 'done')
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))[0];

/**
 * SQL expression: the placements of an order, in their order. A first answer that never changed has no observation: it is
 * read from the placement.
 */
export const shownPlacements = (operationId: Sql): RawBuilder<readonly ShownPlacement[]> => sql`(
  select coalesce(json_agg(json_build_object('kind', placement.kind, 'provider', placement.provider,
    'at', placement.placed_at,
    'openBecause', case when placement.said = 'none' then placement.message end,
    'observations', coalesce((select json_agg(json_build_object('at', seen.at, 'source', seen.source, 'said', seen.said,
        'done', seen.done::text, 'message', seen.message,
        'providerReference', seen.provider_reference) order by seen.id)
      from observations as seen where seen.placement_id = placement.id),
      case when placement.said = 'none' then '[]' else json_build_array(json_build_object(
        'at', placement.said_at, 'source', 'answer', 'said', placement.said, 'done', placement.done::text,
        'message', placement.message, 'providerReference', placement.provider_reference)) end))
    order by placement.position, placement.id), '[]')
  from placements as placement where placement.operation_id = ${operationId}
    or placement.operation_id is null
      and placement.reference = substring(${operationId} from '^recovered:(.+)$'))`;

/** The placements of a case's order, for people; also of an order that a restore lost. None where it is about no order. */
export async function placementsOfCase(
  database: Database,
  { subjectKind, subject }: Pick<Case, 'subjectKind' | 'subject'>,
): Promise<readonly ShownPlacement[]> {
  if (subjectKind !== 'order') return [];
  return await firstValue<readonly ShownPlacement[]>(database, [])`
    select ${shownPlacements(sql`${subject}`)}`;
}

/** A provider that certainly did nothing, so that another provider was asked. */
export interface Failover {
  readonly from: string;
  readonly message: string;
}

/** SQL expression: the providers before the present one, in their order. */
export const failoversOf = (operationId: Sql): RawBuilder<readonly Failover[]> => sql`(
  select coalesce(json_agg(json_build_object('from', placement.provider,
    'message', coalesce(placement.message, '')) order by placement.position), '[]')
  from placements as placement where ${ofOrder(operationId)}
    and placement.position < (select max(position) from placements as later
      where later.operation_id = placement.operation_id and later.kind <> 'reversal'))`;

/** A payment or an attempt of a top-up on hold. */
export interface Placed {
  readonly subject: 'payment' | 'top-up';
  readonly operationId: string;
}

/** What the choice of another provider for such an order depends on. */
interface Choice {
  readonly kind: RouteKind;
  readonly routes: readonly Route[];
  /** Decimal string. */
  readonly amount: string;
  readonly operator: Operator | null;
  /** Of a payment to a phone number. */
  readonly payeeNumber: string | null;
  /** The providers that were asked by now. */
  readonly asked: readonly string[];
}

/**
 * Reads the hold; undefined where it has ended, or where a provider left the outcome open. A workflow that was reset
 * could otherwise send twice.
 */
export function findChoice(
  database: Database,
  { subject, operationId }: Placed,
): Promise<Choice | undefined> {
  const payoutRoutes = routesFor('payout', {
    partnerId: sql`vouchers.partner_id`,
    merchantId: sql`redemptions.merchant_id`,
  });
  const asked = sql`
    array(select provider from placements where operation_id = ${operationId}) as asked`;
  return subject === 'payment'
    ? firstRow<Choice>(database)`
          select 'payout' as kind, ${payoutRoutes} as routes, to_merchant as amount,
            null as operator,
            case when payee->0->>'key' = 'msisdn' then payee->0->>'value' end as "payeeNumber", ${asked}
          from redemptions join vouchers on vouchers.id = redemptions.voucher_id
          where redemptions.operation_id = ${operationId} and redemptions.status = 'HELD'
            and ${isKnown(operationId)}`
    : firstRow<Choice>(database)`
          select case topups.kind when 'PACKAGE' then 'topup-package' else 'topup-airtime' end as kind,
            ${routesOfTopup} as routes,
            topups.amount, topups.operator, null as "payeeNumber", ${asked}
          from topup_attempts as try join topups on topups.id = topup_id
          where try.operation_id = ${operationId} and try.status = 'HELD'
            and ${isKnown(operationId)}`;
}

/** SQL condition: no provider of the order has left its outcome open. */
const isKnown = (operationId: string) => sql`not exists (
  select from placements where operation_id = ${operationId} and silent_since is not null)`;

/** The move of an order on hold to the next provider, because the present provider certainly did nothing. */
export interface Switch {
  readonly from: string;
  readonly to: string;
  readonly message: string;
  /** Whether the provider left behind is asked again later. Only a provider that can say `never-seen` is. */
  readonly isAskedLater: boolean;
}

/**
 * Records that the present provider did nothing, and places the order at the next one. False where another attempt
 * has done so by now, or may have sent it meanwhile, or the order is no longer on hold: then nothing may be sent.
 */
export const switchProvider = (
  database: Database,
  { subject, operationId }: Placed,
  { from, to, message, isAskedLater }: Switch,
): Promise<boolean> =>
  database.transaction().execute(async (transaction) => {
    await lockHeld(transaction, { subject, operationId });
    const changed = await changedRows(transaction)`
      with left_behind as (
        update placements set said = 'nothing', said_at = clock_timestamp(), message = ${message},
          sent_at = null, ask_at = ${isAskedLater ? sql`now() + interval '10 minutes'` : sql`null`}
        from ${currentPlacement(sql`${operationId}`)} as placed
        where placements.id = placed.id and placements.provider = ${from}
          -- Of this row the newest version is read, after its lock. A subquery reads as of the statement's begin.
          and placements.said = 'none' and placements.silent_since is null
          and ${isOnHold(sql`${operationId}`)} and ${isKnown(operationId)}
        returning placements.*)
      insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, position)
      select kind, reference, ${to}, operation_id, voucher_id, ordered, position + 1
      from left_behind`;
    return changed === 1;
  });

const lockHeld = (transaction: DatabaseTransaction, { subject, operationId }: Placed) =>
  sql`
    select from ${sql.table(subject === 'payment' ? 'redemptions' : 'topup_attempts')}
    where operation_id = ${operationId} for no key update`.execute(transaction);

/**
 * Makes the next reconciliation ask a provider, or all providers of an order, because there is news of the order: a
 * callback, or a provider statement that lacks it. False where the order was never placed there.
 */
export async function doubt(
  database: Database,
  { reference, provider }: { readonly reference: string; readonly provider?: string },
): Promise<boolean> {
  const changed = await changedRows(database)`
    update placements set ask_at = clock_timestamp(), doubted_at = coalesce(doubted_at, now())
    where reference = ${reference} and provider = coalesce(${provider ?? null}, provider)`;
  return changed > 0;
}

/** A placement whose provider is to be asked, and when it was taken up, as PostgreSQL writes it. */
export interface DuePlacement {
  readonly id: number;
  readonly kind: PlacementKind;
  readonly operationId: string;
  readonly reference: string;
  readonly provider: string;
  /** As `takenAs` has it; null where the provider has answered. */
  readonly takenAs: string | null;
  /** When another provider was asked next, or the order ended; null while neither has happened. */
  readonly leftAt: Date | null;
  readonly takenAt: string;
  /** The same in milliseconds since 1970. */
  readonly takenMs: number;
}

/** A moment of the database's clock, as PostgreSQL writes it. */
export async function databaseMoment(database: Database): Promise<string> {
  const row = await onlyRow<{ moment: string }>(database, 'The database has no clock')`
    select clock_timestamp()::text as moment`;
  return row.moment;
}

/** The greatest count. Only a service that was down for long has more placements due. */
const COUNTED = 10_000;

/** How many placements are due by a moment; at most `COUNTED`. */
export const countDue = (database: Database, dueBy: string) =>
  firstValue<number>(database, 0)`
    select count(*) as count from (
      select from placements where ask_at <= ${dueBy}::timestamptz limit ${COUNTED}) as due`;

/**
 * Takes the placements that were due by then, the longest due first. Each goes to the end of the queue, and stays there
 * until an answer is booked. So a placement that fails does not block the others.
 */
export const takeDue = (database: Database, dueBy: string, limit: number) =>
  allRows<DuePlacement>(database)`
    with due as (
      update placements set ask_at = clock_timestamp() where id = any(array(
        select id from placements where ask_at <= ${dueBy}::timestamptz
        order by ask_at limit ${limit} for update skip locked))
      returning *)
    select id, kind, operation_id as "operationId", reference, provider,
      case when said in ('none', 'pending') then ${takenAs('due')} end as "takenAs",
      ask_at::text as "takenAt",
      (extract(epoch from ask_at) * 1000)::float8 as "takenMs",
      coalesce((select min(later.placed_at) from placements as later
          where later.operation_id = due.operation_id and later.position > due.position
            and later.kind <> 'reversal'),
        (select settled_at from redemptions where operation_id = due.operation_id),
        (select settled_at from topup_attempts where operation_id = due.operation_id)) as "leftAt"
    from due where operation_id is not null`;

/** A new order at its first provider. */
export interface NewPlacement {
  readonly kind: 'payment' | 'top-up';
  readonly reference: string;
  readonly provider: string;
  readonly operationId: string;
  readonly voucherId: number | null;
  /** Decimal string. */
  readonly ordered: string;
}

/**
 * SQL: two parts of a `with` clause. `lost` takes over the placements of an order that a restore lost, found by the
 * reference. `placed` inserts a new placement where there are none.
 */
export const placing = ({
  kind,
  reference,
  provider,
  operationId,
  voucherId,
  ordered,
}: NewPlacement) => ({
  lost: sql<{ provider: string }>`(
    update placements set operation_id = ${operationId}, ordered = ${ordered}::numeric
    where reference = ${reference} and operation_id is null and kind = ${kind}
    returning provider)`,
  placed: sql<{ provider: string }>`(
    insert into placements (kind, reference, provider, operation_id, voucher_id, ordered)
    select ${kind}, ${reference}, ${provider}, ${operationId}, ${voucherId}::bigint,
      ${ordered}::numeric
    where not exists (select from lost)
    returning provider)`,
});

/** The sources of answers of a provider that was asked. */
const asked: readonly ObservationSource[] = ['answer', 'inquiry'];

/**
 * Writes the placements that have changed, and adds an observation for each later change. The statements are sent
 * together, so that later statements and their triggers see every placement updated.
 */
export async function writePlacements(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  after: AfterPosition,
  {
    change,
    settings,
    hasCase,
  }: {
    readonly change: PositionChange;
    readonly settings: BookSettings;
    readonly hasCase: boolean;
  },
): Promise<void> {
  const { now, isLost, position } = before;
  const isOpen = after.order.state === 'open';
  const hasEnded = position.order.state === 'open' && !isOpen;
  const decidedAt = isOpen ? null : (before.settledAt ?? now);
  const current = currentOf(after.placements);
  await sendTogether(transaction, (together) =>
    after.placements.flatMap((placement, index): Promise<unknown>[] => {
      const old = position.placements[index];
      if (!old || old.id !== placement.id)
        throw new Error('A placement is neither made nor removed by booking');
      if (placement === old && !hasEnded && placement.id !== change.askNow) return [];
      const isNews = change.takenAt !== undefined && old.askAt !== change.takenAt;
      const isAnswered = placement !== old && asked.includes(change.source);
      const usual = () =>
        nextAsk(placement, {
          now,
          // For a reversal the time counts from its own beginning, not from the end of the payment.
          decidedAt: placement.kind === 'reversal' ? placement.placedAt : decidedAt,
          watchMs: settings.reversalWatchSeconds * 1_000,
          hasCase,
          isCurrent: placement.id === current.id,
          isDue: old.isDue && !isAnswered,
        });
      const isAskedNow = isNews || placement.id === change.askNow;
      const next = isAskedNow ? now : isLost ? null : usual();
      const sent: Promise<unknown>[] = [];
      sent.push(updatePlacement(together, old, placement, { next, isNews }));
      const hadAnswer = old.said !== 'none';
      // The first answer is in the placement alone, except that of a person: the row cannot name its source.
      if (!hasChanged(old, placement) || (!hadAnswer && change.source !== 'person')) return sent;
      if (hadAnswer) sent.push(addObservation(together, old, 'answer', { now, isFirst: true }));
      sent.push(addObservation(together, placement, change.source, { now, isFirst: false }));
      return sent;
    }),
  );
}

/**
 * SQL expression: the id under which a provider has taken an order, after it told one. Our own reference stands for an id
 * that it did not tell: a later id replaces it, and no other id.
 */
export const learntId = (told: string | null) =>
  sql`coalesce(nullif(provider_reference, reference), ${told}, provider_reference)`;

const time = (milliseconds: number | null) => sql`to_timestamp(${milliseconds}::float8 / 1000)`;

/**
 * Keeps `ask_at` where a callback has changed it since the row was read. Activities note an open answer without a lock
 * of the order. So no booking takes a noted id and message back while the order is open, nor ends its first silence.
 */
async function updatePlacement(
  transaction: DatabaseTransaction,
  old: PlacementRow,
  {
    id,
    said,
    done,
    providerReference,
    saidAt,
    message,
    cleared,
    doubtedAt,
    silentSince,
  }: PlacementRow,
  { next, isNews }: { readonly next: number | null; readonly isNews: boolean },
): Promise<void> {
  const isUntouched = sql`ask_at is not distinct from ${old.askAt}::timestamptz`;
  const doubted = isNews ? sql`coalesce(doubted_at, now())` : time(doubtedAt);
  const isOpen = said === 'none' || said === 'pending';
  await sql`
    update placements set said = ${said}, done = ${formatMoney(done)}::numeric,
      provider_reference = ${isOpen ? learntId(providerReference) : sql`${providerReference}`},
      said_at = ${time(saidAt)}, message = ${isOpen ? sql`message` : sql`${message}`},
      cleared = ${cleared},
      silent_since = ${said === 'none' ? sql`coalesce(silent_since, ${time(silentSince)})` : time(silentSince)},
      doubted_at = case when ${isUntouched} then ${doubted} else coalesce(doubted_at, now()) end,
      ask_at = case when ${isUntouched} then ${time(next)} else ask_at end
    where id = ${id}`.execute(transaction);
}

/** Adds an observation. The first answer gets its own once a later answer differs. */
const addObservation = (
  transaction: DatabaseTransaction,
  { id, saidAt, said, done, providerReference, message }: PlacementRow,
  source: ObservationSource,
  { now, isFirst }: { readonly now: number; readonly isFirst: boolean },
) =>
  sql`
  insert into observations (placement_id, at, source, said, done, provider_reference, message)
  select ${id}::bigint, ${time(saidAt ?? now)}, ${source}, ${said}, ${formatMoney(done)}::numeric,
    ${providerReference}, ${message}
  where not ${isFirst} or not exists (select from observations where placement_id = ${id})`.execute(
    transaction,
  );
