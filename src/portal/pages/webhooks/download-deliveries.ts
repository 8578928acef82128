import { listDeliveries } from '../../../db/webhooks/delivery-requests.ts';
import { findWebhook } from '../../../db/webhooks/webhook-endpoints.ts';
import { csv } from '../../../rendering/csv.ts';
import { DOWNLOAD_ROWS } from '../../layout/downloads.ts';
import { type AccountPage, idOf, type PageAnswer } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { fileTime } from '../../time-zone.ts';

/** The newest deliveries of a webhook with the receiver's answers, as a file, newest first. */
export const downloadDeliveries: AccountPage = {
  method: 'GET',
  path: '/webhooks/:id/download',
  access: 'account',
  needs: 'develop',
  async handle(request): Promise<PageAnswer> {
    const { services, session, query } = request;
    const webhook = await findWebhook(services.database, idOf(request), session.company);
    if (webhook === undefined) return problems.notFound;
    const rows = await services.lists.read(session.company, (database) =>
      listDeliveries(database, webhook.id, {
        status: query.get('state') === 'failed' ? 'FAILED' : undefined,
        limit: DOWNLOAD_ROWS,
      }),
    );
    if (!rows) return problems.busy;
    const titles = ['Made', 'Event', 'Subject', 'Number', 'State', 'Attempts', 'Last attempt'];
    return {
      kind: 'file',
      name: `webhook-${webhook.id}-deliveries.csv`,
      type: 'text/csv',
      content: csv([
        [...titles, 'Status code', 'Milliseconds', 'Problem', 'Answer'],
        ...rows.map((row) => [
          ...[fileTime(row.createdAt), row.type, row.subject, row.eventNumber],
          ...[states[row.status], row.attempts, row.lastAttemptAt && fileTime(row.lastAttemptAt)],
          ...[row.lastStatusCode, row.lastMilliseconds, row.lastProblem, row.lastAnswer],
        ]),
      ]),
    };
  },
};

/** The states of deliveries, as the page of the webhook names them. */
const states = { DELIVERED: 'Delivered', FAILED: 'Failed', PENDING: 'Waiting' } as const;
