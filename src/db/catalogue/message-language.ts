import type { MessageLanguage } from '../../domain/vouchers/owner-messages.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** The language of messages to the owners of a partner's vouchers. */
export const messageLanguageOf = async (
  database: Database,
  partnerId: number,
): Promise<MessageLanguage> =>
  (
    await database
      .selectFrom('partners')
      .select('message_language')
      .where('id', '=', partnerId)
      .executeTakeFirstOrThrow()
  ).message_language;

/** Sets it for the messages that are written from now on; returns the one before. */
export async function setMessageLanguage(
  transaction: DatabaseTransaction,
  partnerId: number,
  language: MessageLanguage,
): Promise<MessageLanguage> {
  await transaction
    .selectFrom('partners')
    .select('id')
    .where('id', '=', partnerId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const before = await messageLanguageOf(transaction, partnerId);
  await transaction
    .updateTable('partners')
    .set({ message_language: language })
    .where('id', '=', partnerId)
    .execute();
  return before;
}
