import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** A webhook that was switched off, and the people to be told. */
export interface SwitchedOffWebhook {
  readonly url: string;
  readonly reason: string;
  readonly since: Date;
  readonly accounts: readonly { readonly id: number; readonly email: string }[];
}

/** Undefined where the webhook is not switched off, or no longer. */
export async function readSwitchedOff(
  database: Database,
  endpointId: number,
): Promise<SwitchedOffWebhook | undefined> {
  const { rows } = await sql<SwitchedOffWebhook>`
    select url, coalesce(status_reason, '') as reason, status_since as since,
      coalesce((select json_agg(json_build_object('id', id, 'email', email) order by id)
        from portal_accounts where disabled_at is null
          and case company_kind when 'partner' then partner_id else merchant_id end = company_id
      ), '[]') as accounts
    from webhook_endpoints
    where webhook_endpoints.id = ${endpointId} and status = 'SWITCHED_OFF'`.execute(database);
  return rows[0];
}
