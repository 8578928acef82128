import type { StoredNumber } from '../../domain/phone.ts';
import type { Database } from '../connection.ts';

/** The partner of a voucher. */
export const partnerOfVoucher = async (database: Database, voucherId: number): Promise<string> =>
  (
    await database
      .selectFrom('vouchers')
      .innerJoin('partners', 'partners.id', 'vouchers.partner_id')
      .select('company_name')
      .where('vouchers.id', '=', voucherId)
      .executeTakeFirstOrThrow()
  ).company_name;

/** All partners, by their names. */
export const namesOfPartners = (database: Database) =>
  database
    .selectFrom('partners')
    .select(['id', 'company_name as name'])
    .orderBy('company_name')
    .orderBy('id')
    .execute();

/** The partner of a top-up, and its workflow; undefined where there is none. */
export const ownerOfTopup = (database: Database, topupId: number) =>
  database
    .selectFrom('topups')
    .innerJoin('partners', 'partners.id', 'topups.partner_id')
    .select(['partner_id as partnerId', 'company_name as partner', 'workflow_id as workflowId'])
    .where('topups.id', '=', topupId)
    .executeTakeFirst();

/** The number of a voucher's owner, or of a top-up; undefined where there is none. */
export async function readNumberOf(
  database: Database,
  kind: 'voucher' | 'top-up',
  id: number,
): Promise<StoredNumber | undefined> {
  const row =
    kind === 'voucher'
      ? await database
          .selectFrom('vouchers')
          .select('owner_msisdn as msisdn')
          .where('id', '=', id)
          .executeTakeFirst()
      : await database
          .selectFrom('topups')
          .select('msisdn')
          .where('id', '=', id)
          .executeTakeFirst();
  return row?.msisdn ?? undefined;
}
