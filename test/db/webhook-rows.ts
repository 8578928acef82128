import type { Database } from '../../src/db/connection.ts';
import { addWebhook } from '../../src/db/webhooks/endpoints.ts';
import { addGiftSeller } from './gift-rows.ts';

/** Adds a webhook of a new partner. */
export async function addPartnerWebhook(database: Database) {
  const { partnerId } = await addGiftSeller(database);
  const id = await database.transaction().execute((transaction) =>
    addWebhook(transaction, {
      company: { kind: 'partner', id: partnerId },
      url: 'https://shop.example',
      description: '',
      types: null,
      createdBy: 'test',
    }),
  );
  return { id, partnerId };
}
