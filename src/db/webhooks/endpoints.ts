import { type Selectable, sql } from 'kysely';
import type { Company } from '../../domain/vouchers/voucher.ts';
import {
  addRow,
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstRow,
  now,
  updateRow,
} from '../connection.ts';
import type { WebhookEndpointsTable } from '../generated/tables.ts';

const shownWebhooks = (database: Database) =>
  database
    .selectFrom('webhook_endpoints')
    .select([
      'id',
      'created_at as createdAt',
      'created_by as createdBy',
      'company_kind as companyKind',
      'company_id as companyId',
      'url',
      'description',
      'types',
      'status',
      'status_since as statusSince',
      'status_reason as statusReason',
      'failing_since as failingSince',
    ])
    .where('status', '<>', 'REMOVED');

/** A webhook for people; it holds no secret. */
export type WebhookEndpoint = Awaited<ReturnType<typeof listWebhooks>>[number];

/** The webhooks of a company, without removed ones. */
export const listWebhooks = (database: Database, company: Company) =>
  shownWebhooks(database)
    .where('company_kind', '=', company.kind)
    .where('company_id', '=', company.id)
    .orderBy('id')
    .execute();

/** One webhook; undefined where there is none, it was removed, or it belongs to another company. */
export function findWebhook(
  database: Database,
  id: number,
  /** Required owner; any company where it is absent. */
  company?: Company,
) {
  let query = shownWebhooks(database).where('id', '=', id);
  if (company)
    query = query.where('company_kind', '=', company.kind).where('company_id', '=', company.id);
  return query.executeTakeFirst();
}

/** Adds a webhook, which gets the events that are numbered from now on; returns its id. */
export async function addWebhook(
  transaction: DatabaseTransaction,
  webhook: {
    readonly company: Company;
    readonly url: string;
    readonly description: string;
    /** Null: events of every type. */
    readonly types: readonly string[] | null;
    readonly createdBy: string;
  },
): Promise<number> {
  const { company, types } = webhook;
  return addRow(transaction, 'webhook_endpoints', {
    company_kind: company.kind,
    company_id: company.id,
    url: webhook.url,
    description: webhook.description,
    types: types && [...types],
    created_by: webhook.createdBy,
    cursor: sql<number>`coalesce((select max(number) from events), 0)`,
  });
}

/** The reason of a state that an operator gave a webhook. */
export const BY_OPERATOR = 'By the operator.';

/**
 * Changes the state of a webhook. An active one is woken: it gets what it has missed, as long as events
 * are kept. Returns whether there was one in another state.
 */
export const setWebhookStatus = (
  transaction: DatabaseTransaction,
  id: number,
  status: Exclude<Selectable<WebhookEndpointsTable>['status'], 'SWITCHED_OFF' | 'REMOVED'>,
  reason: string,
) =>
  transaction
    .updateTable('webhook_endpoints')
    .set({
      status,
      status_since: now,
      status_reason: reason,
      failing_since: null,
      wake_at: status === 'ACTIVE' ? sql<Date>`clock_timestamp()` : null,
    })
    .where('id', '=', id)
    .where('status', 'not in', ['REMOVED', status])
    .$call(changesRow);

/** Removes a webhook and its secrets. Its deliveries stay until they are pruned. */
export async function removeWebhook(transaction: DatabaseTransaction, id: number): Promise<void> {
  await updateRow(transaction, 'webhook_endpoints', id, {
    status: 'REMOVED',
    status_since: now,
    status_reason: null,
    wake_at: null,
  });
  await transaction.deleteFrom('webhook_secrets').where('endpoint_id', '=', id).execute();
}

/**
 * Adds a secret, which signs from now on. Earlier secrets sign for the overlap at most, even if an
 * earlier rotation had given one a longer time.
 */
export async function addWebhookSecret(
  transaction: DatabaseTransaction,
  endpointId: number,
  secret: { readonly ciphertext: string; readonly overlapHours: number },
): Promise<void> {
  await transaction
    .updateTable('webhook_secrets')
    .set({
      expires_at: sql<Date>`least(expires_at,
        now() + make_interval(secs => ${secret.overlapHours * 3_600}))`,
    })
    .where('endpoint_id', '=', endpointId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .execute();
  await transaction
    .insertInto('webhook_secrets')
    .values({ endpoint_id: endpointId, ciphertext: secret.ciphertext })
    .execute();
}

/** A webhook that was switched off, and the people to be told. */
interface SwitchedOffWebhook {
  readonly url: string;
  readonly reason: string;
  readonly accounts: readonly { readonly id: number; readonly email: string }[];
}

/** Undefined where the webhook is not switched off, or no longer. */
export const readSwitchedOff = (database: Database, endpointId: number) =>
  firstRow<SwitchedOffWebhook>(database)`
    select url, coalesce(status_reason, '') as reason,
      coalesce((select json_agg(json_build_object('id', id, 'email', email) order by id)
        from portal_accounts where disabled_at is null
          and case company_kind when 'partner' then partner_id else merchant_id end = company_id
      ), '[]') as accounts
    from webhook_endpoints
    where webhook_endpoints.id = ${endpointId} and status = 'SWITCHED_OFF'`;
