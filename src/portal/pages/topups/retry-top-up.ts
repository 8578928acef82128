import { findTopupDetail } from '../../../db/topups/topup-detail.ts';
import { isErased, maskStored, parseMsisdn } from '../../../domain/phone.ts';
import { retryOnce } from '../../../operations/retry-top-up.ts';
import { html, phrase } from '../../../rendering/html.ts';
import { money } from '../../layout/money.ts';
import { field, postForm } from '../../layout/parts.ts';
import { callerOf, onceField, onceKey, recordOperation, refusedPage } from '../../operate.ts';
import {
  type AccountPage,
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
} from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { productOf } from './top-ups.ts';

/** Says what a retry does with the money, and asks for the number. */
export const askRetryTopUp: AccountPage = {
  method: 'GET',
  path: '/top-ups/:id/retry',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  handle: (request) => retryPage(request),
};

async function retryPage(request: AccountRequest, wrong?: string): Promise<PageAnswer> {
  const { services, session, formToken } = request;
  const topup = await findTopupDetail(services.database, session.company.id, idOf(request));
  if (!topup) return problems.notFound;
  const back = `${PORTAL_PATH}/top-ups/${topup.id}`;
  if (topup.status !== 'FAILED')
    return { kind: 'redirect', to: back, notice: 'This top-up cannot be retried now.' };
  const isGone = isErased(topup.msisdn);
  return {
    kind: 'page',
    title: 'Retry a top-up',
    status: wrong === undefined ? 200 : 422,
    content: html`<h1>Retry top-up ${topup.id}?</h1>
<section class="card"><p>${productOf(topup)} is sent once more to ${
      isGone ? phrase('the number that you enter') : maskStored(topup.msisdn)
    }. ${
      topup.amountOfRetry === null ? phrase('Its price') : money(topup.amountOfRetry)
    } is put on hold in your airtime wallet. It is charged when the top-up is delivered, and returned when it
fails again.</p>
${postForm(
  { action: `${back}/retry`, formToken },
  html`${onceField()}${field({
    name: 'msisdn',
    label: isGone ? 'Phone number' : 'Another number',
    hint: isGone
      ? 'The number of this top-up was erased. A package needs a number of the same operator.'
      : 'Empty: the same number. A package needs a number of the same operator.',
    error: wrong,
    maximumLength: 32,
    ...(isGone ? {} : { isOptional: true }),
  })}
<p class="actions"><button>Retry the top-up</button><a href="${back}">Back</a></p>`,
)}</section>`,
  };
}

/** Retries a failed top-up, optionally to another number. */
export const retryTopUp: AccountPage = {
  method: 'POST',
  path: '/top-ups/:id/retry',
  access: 'account',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  async handle(request) {
    const [transactionId, key] = [idOf(request), onceKey(request)];
    if (key === undefined) return problems.invalid;
    const written = request.form.text('msisdn').trim();
    const msisdn = written === '' ? null : (parseMsisdn(written) ?? undefined);
    if (msisdn === undefined)
      return retryPage(request, 'Enter a mobile number, such as 0911234567 or +251911234567.');
    await recordOperation(request, 'retry top-up', {
      transactionId,
      isOtherNumber: msisdn !== null,
    });
    const retry = { transactionId, msisdn };
    const company = callerOf(request);
    const answer = await retryOnce(request.services, { company, key, content: retry, retry });
    const to = `${PORTAL_PATH}/top-ups/${transactionId}`;
    if ('accepted' in answer)
      return {
        kind: 'redirect',
        to,
        notice: 'The retry was accepted. Its result is not known yet.',
      };
    const { result } = answer;
    if (result.ok) return { kind: 'redirect', to, notice: 'The top-up was delivered.' };
    if (result.reason === 'topup-not-found') return problems.notFound;
    return refusedPage({ title: 'The top-up was not delivered', refusal: result, back: to });
  },
};
