import { sql } from 'kysely';
import { rolesFor } from '../../domain/access/portal-role.ts';
import type { Database } from '../connection.ts';

/** The people who may see statements; they get them unless they have chosen otherwise. */
const readers = rolesFor('export');

/** SQL condition: whether the person of an account row gets monthly statements by e-mail. */
export const getsStatements = (account: string) => {
  const column = (name: string) => sql.ref(`${account}.${name}`);
  return sql<boolean>`(${column('disabled_at')} is null and ${column('role')} = any(${readers}::text[])
    and coalesce(${column('statement_by_email')}, true))`;
};

/** Whether a person gets monthly statements by e-mail. */
export async function hasStatementsByEmail(
  database: Database,
  accountId: number,
): Promise<boolean> {
  const row = await database
    .selectFrom('portal_accounts')
    .select(getsStatements('portal_accounts').as('isOn'))
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.isOn ?? false;
}

/** Stores whether a person wants monthly statements by e-mail. */
export async function setStatementByEmail(
  database: Database,
  accountId: number,
  isOn: boolean,
): Promise<void> {
  await database
    .updateTable('portal_accounts')
    .set({ statement_by_email: isOn })
    .where('id', '=', accountId)
    .execute();
}
