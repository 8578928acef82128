import type { Database } from '../connection.ts';

/** What a partner may sell. */
export interface ProductAccess {
  readonly partnerId: number;
  readonly productId: number;
}

/** Grants a partner access to a product; false when it already had access. */
export async function grantAccess(database: Database, access: ProductAccess): Promise<boolean> {
  const result = await database
    .insertInto('partner_products')
    .values({ partner_id: access.partnerId, product_id: access.productId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Revokes the access to a product; false when the partner had none. */
export async function revokeAccess(database: Database, access: ProductAccess): Promise<boolean> {
  const result = await database
    .deleteFrom('partner_products')
    .where('partner_id', '=', access.partnerId)
    .where('product_id', '=', access.productId)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}
