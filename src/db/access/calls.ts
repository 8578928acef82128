import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { accessChanges, actorOfPerson, toldActions } from '../../domain/access.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { allRows, type Database, type DatabaseTransaction, hasRows } from '../connection.ts';
import { staffName } from '../people/accounts.ts';
import { addAccessNotices } from './access-notices.ts';

/** A call in the columns of both tables. */
interface RecordedCall {
  readonly at: Date;
  readonly surface: string;
  readonly method: string;
  /** The route's pattern; never the path, which may hold a voucher code. */
  readonly route: string;
  readonly sourceAddress: string;
  /** The key whose prefix is stored. */
  readonly apiKeyId: number | null;
  readonly requestId: string;
  /** The mistake in the fields or the signature; never a part of the request. */
  readonly detail?: string | undefined;
}

export interface AdmittedCall extends RecordedCall {
  readonly company: Company;
  readonly statusCode: number;
}

export interface RefusedCall extends RecordedCall {
  /** Null for an unauthenticated call. */
  readonly company: Company | null;
  readonly reason: string;
  /** The prefix of a key that is not in the database. */
  readonly keyPrefix: string | null;
  /**
   * The number of similar calls of the same time that are not written; the address "several" stands
   * for any address.
   */
  readonly leftOut: number;
}

/** Accepted calls kept per company. */
const KEPT_ADMITTED_CALLS = 20;

const callColumns = sql`at timestamptz, surface text, method text, route text,
  "sourceAddress" text, "apiKeyId" bigint, "requestId" text, "companyKind" text,
  "companyId" bigint, detail text`;

const records = (calls: readonly (AdmittedCall | RefusedCall)[]) =>
  JSON.stringify(
    calls.map(({ company, ...call }) => ({
      ...call,
      companyKind: company?.kind ?? null,
      companyId: company?.id ?? null,
    })),
  );

/** Inserts refused calls. */
export async function addRefusedCalls(
  database: Database,
  calls: readonly RefusedCall[],
): Promise<void> {
  await sql`
    insert into refused_calls (at, surface, method, route, reason, company_kind, company_id,
      source_address, key_prefix, request_id, left_out, detail)
    select at, surface, method, route, reason, "companyKind", "companyId", "sourceAddress",
      coalesce("keyPrefix", (select key_prefix from api_keys where id = "apiKeyId")),
      "requestId", "leftOut", detail
    from jsonb_to_recordset(${records(calls)}::jsonb) as call (
      ${callColumns}, reason text, "keyPrefix" text, "leftOut" int)
    order by at`.execute(database);
}

/**
 * Inserts accepted calls, records time and address of their keys' last use, and deletes all but the
 * newest calls of each company.
 */
export async function addAdmittedCalls(
  database: Database,
  calls: readonly AdmittedCall[],
): Promise<void> {
  const json = records(calls);
  await sql`
    with call as (
      select at, surface, method, route, "sourceAddress", "apiKeyId", "requestId", "companyKind",
        "companyId", detail, "statusCode"
      from jsonb_to_recordset(${json}::jsonb) as call (${callColumns}, "statusCode" int)
    ), free as (
      -- A key that another process is writing at this moment is as well noted by that one.
      select id from api_keys where id in (select "apiKeyId" from call)
      for no key update skip locked
    ), used as (
      update api_keys set last_used_at = newest.at, last_used_address = newest."sourceAddress"
      from free, (select distinct on ("apiKeyId") "apiKeyId", at, "sourceAddress" from call
        order by "apiKeyId", at desc) as newest
      where api_keys.id = newest."apiKeyId" and api_keys.id = free.id
        and (last_used_at is null or last_used_at < newest.at)
    )
    insert into admitted_calls (at, surface, method, route, status_code, company_kind, company_id,
      source_address, key_prefix, request_id, detail)
    select at, surface, method, route, "statusCode", "companyKind", "companyId", "sourceAddress",
      (select key_prefix from api_keys where id = "apiKeyId"), "requestId", detail
    from call order by at`.execute(database);
  await sql`
    delete from admitted_calls where id in (
      select id from admitted_calls where id in (
        select old.id from (
          select distinct "companyKind", "companyId"
          from jsonb_to_recordset(${json}::jsonb) as call (${callColumns})
        ) as caller, lateral (
          select id from admitted_calls
          where company_kind = "companyKind" and company_id = "companyId"
          order by id desc offset ${KEPT_ADMITTED_CALLS}
        ) as old)
      for update skip locked)`.execute(database);
}

/**
 * Whether a call of a company was ever accepted; of a merchant, a signed one. The newest calls may
 * be unsigned, so recorded uses of its signatures count, too.
 */
export function hasCalled(
  database: Database,
  { kind, id }: Company,
  signedRoutes: readonly string[],
) {
  const letIn = sql`select true from admitted_calls where company_kind = ${kind} and company_id = ${id}`;
  return kind === 'partner'
    ? hasRows(database)`${letIn} limit 1`
    : hasRows(database)`
        ${letIn} and route = any(${signedRoutes}::text[])
        union all
        select true from signed_requests where merchant_id = ${id} limit 1`;
}

/** A call of a company for display: accepted with its statusCode, or refused with its reason. */
export interface ShownCall {
  readonly at: Date;
  readonly admitted: boolean;
  readonly surface: string;
  readonly method: string;
  readonly route: string;
  /** Null for a refused call. */
  readonly statusCode: number | null;
  /** A reason of `src/domain/reasons.ts`; null for an accepted call. */
  readonly reason: string | null;
  readonly sourceAddress: string;
  readonly keyPrefix: string | null;
  readonly requestId: string;
  readonly detail: string | null;
  readonly leftOut: number;
}

/** The newest calls of a company, accepted or refused, newest first. */
export function listCalls(database: Database, company: Company, limit: number) {
  const shared = sql`at, surface, method, route, source_address as "sourceAddress",
    key_prefix as "keyPrefix", request_id as "requestId", detail`;
  const newest = sql`where company_kind = ${company.kind} and company_id = ${company.id}
    order by id desc limit ${limit}`;
  return allRows<ShownCall>(database)`
    (select ${shared}, true as admitted, status_code as "statusCode", null as reason,
      0 as "leftOut" from admitted_calls ${newest})
    union all
    (select ${shared}, false, null, reason, left_out from refused_calls ${newest})
    order by at desc limit ${limit}`;
}

/** Newest refused calls that a look-up reads, so that its cost is bounded. */
const LOOKED_AT = 1_000;

/** Whether a call of a company was recently refused because its address is not registered. */
export const wasRefusedFrom = (database: Database, company: Company, sourceAddress: string) =>
  hasRows(database)`
    select from (
      select source_address, reason from refused_calls
      where company_kind = ${company.kind} and company_id = ${company.id}
      order by id desc limit ${LOOKED_AT}
    ) as newest
    where source_address = ${sourceAddress} and reason = 'address-not-registered'
    limit 1`;

/** The newest refused calls of all companies, or of one address or reason, newest first. */
export function listRefusedCalls(
  database: Database,
  selection: {
    readonly sourceAddress?: string | undefined;
    readonly reason?: string | undefined;
    readonly company?: Company | undefined;
    /** Only unauthenticated calls of this API, of at most this age. */
    readonly nobodys?: { readonly surface: string; readonly ageSeconds: number };
    readonly limit: number;
  },
) {
  const { sourceAddress, reason, company, nobodys } = selection;
  let query = database
    .selectFrom('refused_calls')
    .select([
      'at',
      'surface',
      'method',
      'route',
      'reason',
      'company_kind as companyKind',
      'company_id as companyId',
      'source_address as sourceAddress',
      'key_prefix as keyPrefix',
      'request_id as requestId',
      'detail',
      'left_out as leftOut',
    ])
    .orderBy('id', 'desc')
    .limit(selection.limit);
  if (sourceAddress !== undefined) query = query.where('source_address', '=', sourceAddress);
  if (reason !== undefined) query = query.where('reason', '=', reason);
  if (company)
    query = query.where('company_kind', '=', company.kind).where('company_id', '=', company.id);
  if (nobodys)
    query = query
      .where('company_id', 'is', null)
      .where('surface', '=', nobodys.surface)
      .where('at', '>', sql<Date>`now() - make_interval(secs => ${nobodys.ageSeconds})`);
  return query.execute();
}

/** An entry of the audit log: a change by a person. */
export interface AuditEntry {
  /** The person. */
  readonly actor: string;
  /** The action, such as "suspend partner". */
  readonly action: string;
  /** The kind of the changed subject, such as "partner". */
  readonly subjectKind: string;
  readonly subjectId: number;
  /** The changed values, as `before` and `after` where one value replaces another; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

const isChange = ({ details: { before, after } }: AuditEntry): boolean =>
  after === undefined || !isDeepStrictEqual(before, after);

/**
 * Adds entries in the transaction of their changes, so that neither exists alone; owners are told
 * of those that concern the access of their company. A change to the same value has no entry and no e-mail.
 */
export async function addAuditEntries(
  transaction: DatabaseTransaction,
  given: readonly AuditEntry[],
): Promise<void> {
  const entries = given.filter(isChange);
  if (entries.length === 0) return;
  const added = await transaction
    .insertInto('audit_log')
    .values(
      entries.map((entry) => ({
        actor: entry.actor,
        action: entry.action,
        subject_kind: entry.subjectKind,
        subject_id: entry.subjectId,
        details: JSON.stringify(entry.details),
      })),
    )
    .returning(['id', 'action'])
    .execute();
  const told = added.filter(({ action }) => toldActions.includes(action));
  await addAccessNotices(
    transaction,
    told.map(({ id }) => id),
  );
}

/** Adds the entry of a person with an account, by default about the own company. */
export const addPersonEntry = (
  transaction: DatabaseTransaction,
  person: Parameters<typeof actorOfPerson>[0],
  action: string,
  details: AuditEntry['details'],
  subject: { readonly kind: string; readonly id: number } = person.company,
) =>
  addAuditEntries(transaction, [
    {
      actor: actorOfPerson(person),
      action,
      subjectKind: subject.kind,
      subjectId: subject.id,
      details,
    },
  ]);

/** The newest entries, optionally of one kind of subject or one subject. */
export function listAuditEntries(
  database: Database,
  selection: {
    readonly subjectKind: string | undefined;
    readonly subjectId: number | undefined;
    /** Only these actions; all by default. */
    readonly actions?: readonly string[];
    readonly limit: number;
  },
) {
  const { subjectKind, subjectId } = selection;
  let query = database
    .selectFrom('audit_log')
    .select([
      'id',
      'at',
      'actor',
      'action',
      'subject_kind as subjectKind',
      'subject_id as subjectId',
      'details',
      staffName('actor').as('person'),
    ])
    .orderBy('id', 'desc')
    .limit(selection.limit);
  if (subjectKind !== undefined) query = query.where('subject_kind', '=', subjectKind);
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  if (selection.actions !== undefined) query = query.where('action', 'in', selection.actions);
  return query.execute();
}

/** The newest changes of a company that its people see, with its sign-ins. */
export const listAccessChanges = (database: Database, { kind, id }: Company, limit: number) =>
  listAuditEntries(database, {
    subjectKind: kind,
    subjectId: id,
    actions: Object.keys(accessChanges),
    limit,
  });
