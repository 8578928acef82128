import type { DatabaseTransaction } from '../../db/connection.ts';
import { findWebhook, type WebhookEndpoint } from '../../db/webhooks/endpoints.ts';
import type { AccessChangeName } from '../../domain/access.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import type { AccountRequest, StaffRequest } from '../page.ts';
import { changeAccess } from '../session/confirmation.ts';

/** The details of a change of a webhook for the audit log; undefined where nothing changed. */
export type WebhookWork<
  Request extends AccountRequest | StaffRequest,
  Details extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
> = (
  transaction: DatabaseTransaction,
  webhook: WebhookEndpoint,
  request: Request,
) => Promise<Details | undefined>;

/**
 * Changes a webhook of a company, for its own people or for support; null where nothing changed, and undefined where the
 * company has no such webhook.
 */
export const changeWebhook = <
  Request extends AccountRequest | StaffRequest,
  Details extends Readonly<Record<string, unknown>>,
>(
  request: Request,
  action: AccessChangeName,
  { id, company }: { readonly id: number; readonly company: Company },
  work: WebhookWork<Request, Details>,
) =>
  changeAccess(
    request,
    action,
    async (transaction) => {
      const webhook = await findWebhook(transaction, id, company);
      const details = webhook && (await work(transaction, webhook, request));
      return webhook && { result: details ?? null, details };
    },
    company,
  );

export const TEST_SENT = 'A test event is on its way. The answer appears below.';
export const TEST_NOT_SENT = 'A test event is on its way already, or the webhook is not active.';
