import {
  MOST_SENT_AGAIN,
  type SentAgain,
  sendAgain,
} from '../../../db/webhooks/delivery-requests.js';
import { changeAccess } from '../../access/change-access.js';
import { daySchema } from '../../layout/days.js';
import { type AccountPage, type AccountRequest, idOf } from '../../page.js';
import { problems } from '../../problem-page.js';
import { instantOf } from '../../time-zone.js';
import { webhookOf } from './change-webhook.js';
import { webhookPage } from './webhook.js';
import { WEBHOOKS_PATH } from './webhooks.js';

const NO_TIME = 'Enter two times such as 2026-11-20 08:00, the earlier one first.';

/** Delivers one event again, all that failed, or those of a time. */
export const sendWebhookAgain: AccountPage = {
  method: 'POST',
  path: '/webhooks/:id/send-again',
  access: 'account',
  needs: 'develop',
  confirmation: 'none',
  async handle(request) {
    const which = selectionOf(request);
    if (which === undefined) {
      const [from, to] = [request.form.text('from'), request.form.text('to')];
      return webhookPage(request, { from, to, problem: NO_TIME });
    }
    let isKnown = false;
    const { retrySeconds } = request.services.webhooks;
    const sent = await changeAccess(request, 'send-again webhook', async (transaction) => {
      const webhook = await webhookOf(request, transaction);
      if (webhook?.status !== 'ACTIVE') return undefined;
      isKnown = true;
      const count = await sendAgain(transaction, webhook.id, which, retrySeconds);
      if (count === 0) return undefined;
      return { result: count, details: { webhookId: webhook.id, sent: count } };
    });
    if (!isKnown) return problems.notFound;
    return {
      kind: 'redirect',
      to: `${WEBHOOKS_PATH}/${idOf(request)}`,
      notice: noticeOf(sent ?? 0),
    };
  },
};

function noticeOf(sent: number): string {
  if (sent === 0) return 'Nothing was sent again: no delivery matches.';
  const more =
    sent === MOST_SENT_AGAIN ? ' There may be more: send again once these are done.' : '';
  return `Events that are sent again: ${sent.toLocaleString('en')}.${more}`;
}

function selectionOf({ form }: AccountRequest): SentAgain | undefined {
  if (form.text('failed') === 'yes') return { kind: 'failed' };
  const delivery = form.text('delivery');
  if (/^[0-9]{1,15}$/.test(delivery)) return { kind: 'one', deliveryId: Number(delivery) };
  const from = readTime(form.text('from'));
  const to = readTime(form.text('to'));
  return from && to && from < to ? { kind: 'time', from, to } : undefined;
}

/** A time to the minute in the zone of the page: as browsers send it, or with a space. */
function readTime(text: string): Date | undefined {
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)[ T]((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text.trim()) ?? [];
  if (day === undefined || time === undefined) return undefined;
  return daySchema.safeParse(day).success ? instantOf(day, time) : undefined;
}
