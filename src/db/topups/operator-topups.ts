import type { Database } from '../connection.ts';
import { hasNumber } from '../numbers/number-key.ts';
import type { TopupStatus } from '../schema/all-tables.ts';

/** The newest top-ups, of all partners or one. */
export const listTopups = (
  database: Database,
  selection: {
    readonly partnerId: number | undefined;
    readonly status: TopupStatus | undefined;
    /** Of the number of the top-up, or of a later attempt. */
    readonly numberHash: string | undefined;
    readonly limit: number;
  },
) => {
  const { partnerId, status, numberHash } = selection;
  let query = database
    .selectFrom('topups')
    .leftJoin('products', 'products.id', 'topups.product_id')
    .select([
      'topups.id',
      'topups.created_at as createdAt',
      'topups.status',
      'topups.partner_id as partnerId',
      'topups.kind',
      'product_name as product',
      'topups.amount',
      'topups.msisdn',
      'topups.attempt',
      'topups.provider_reference as providerReference',
    ])
    .orderBy('topups.id', 'desc')
    .limit(selection.limit);
  if (partnerId !== undefined) query = query.where('topups.partner_id', '=', partnerId);
  if (status !== undefined) query = query.where('topups.status', '=', status);
  if (numberHash !== undefined)
    query = query.where((where) =>
      where.or([
        hasNumber('topups.msisdn', numberHash),
        where.exists(
          where
            .selectFrom('topup_attempts')
            .select('topup_id')
            .whereRef('topup_id', '=', 'topups.id')
            .where(hasNumber('topup_attempts.msisdn', numberHash)),
        ),
      ]),
    );
  return query.execute();
};

/** The owner of a top-up; undefined where the id does not exist. */
export const findTopupOwner = async (
  database: Database,
  topupId: number,
): Promise<number | undefined> =>
  (
    await database
      .selectFrom('topups')
      .select('partner_id')
      .where('id', '=', topupId)
      .executeTakeFirst()
  )?.partner_id;
