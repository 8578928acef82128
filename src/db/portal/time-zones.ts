import type { Database } from '../connection.ts';

/** Stores the zone that a person's pages are written in. */
export async function setTimeZone(
  database: Database,
  accountId: number,
  timeZone: string,
): Promise<void> {
  await database
    .updateTable('portal_accounts')
    .set({ time_zone: timeZone })
    .where('id', '=', accountId)
    .execute();
}
