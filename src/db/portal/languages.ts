import type { Database } from '../connection.ts';

/** Stores the language that a person's pages are written in. */
export async function setLanguage(
  database: Database,
  accountId: number,
  language: 'en' | 'am',
): Promise<void> {
  await database
    .updateTable('portal_accounts')
    .set({ language })
    .where('id', '=', accountId)
    .execute();
}
