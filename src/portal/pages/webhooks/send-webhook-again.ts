import {
  MOST_SENT_AGAIN,
  type SentAgain,
  sendAgain,
} from '../../../db/webhooks/delivery-requests.ts';
import { changeAccess } from '../../access/change-access.ts';
import { daySchema } from '../../layout/days.ts';
import { type AccountPage, type AccountRequest, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { instantOf } from '../../time-zone.ts';
import { webhookOf } from './change-webhook.ts';
import { webhookPage } from './webhook.ts';
import { WEBHOOKS_PATH } from './webhooks.ts';

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
