import type { PortalRole } from '../../domain/access/portal-role.ts';
import type { Company } from '../../domain/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

const companyColumn = ({ kind }: Company) => (kind === 'partner' ? 'partner_id' : 'merchant_id');

/** The accounts of a company that can sign in; disabled ones are not people of it any more. */
const peopleOf = (database: Database, company: Company) =>
  database
    .selectFrom('portal_accounts')
    .where(companyColumn(company), '=', company.id)
    .where('disabled_at', 'is', null);

/** One person of a company; undefined for others and for removed people. */
export const findPerson = (database: Database, accountId: number, company: Company) =>
  peopleOf(database, company)
    .select(['id', 'email', 'role'])
    .where('id', '=', accountId)
    .executeTakeFirst();

/** Whether somebody else is an owner of the company; the caller holds `lockCompany`. */
export async function hasOtherOwner(
  transaction: DatabaseTransaction,
  accountId: number,
  company: Company,
): Promise<boolean> {
  const other = await peopleOf(transaction, company)
    .select('id')
    .where('role', '=', 'owner')
    .where('id', '!=', accountId)
    .executeTakeFirst();
  return other !== undefined;
}

/** Sets what a person may do; the next page goes by it. */
export async function setPortalRole(
  transaction: DatabaseTransaction,
  accountId: number,
  role: PortalRole,
): Promise<void> {
  await transaction
    .updateTable('portal_accounts')
    .set({ role })
    .where('id', '=', accountId)
    .execute();
}
