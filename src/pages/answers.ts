import type { Context } from 'koa';
import type { PersonSession } from '../db/people/sign-ins.ts';
import { httpStatusOf, type Refusal, statusCodeOf } from '../domain/refusals.ts';
import { html, phrase } from '../rendering/html.ts';
import { writePage } from './layout/layout.ts';
import { DOWNLOAD_ROWS } from './layout/parts.ts';
import type { PageAnswer, PageProblem, PageTools } from './page.ts';

const problem = (
  status: number,
  title: string,
  text: string,
  textForStaff?: string,
): PageProblem => ({
  kind: 'problem',
  status,
  title,
  text,
  textForStaff,
});

/** The problems of pages in words for people. */
export const problems = {
  notFound: problem(
    404,
    'Page not found',
    'The page does not exist, or it belongs to another company.',
    'The page does not exist, or there is nothing with this number.',
  ),
  formNotAccepted: problem(
    403,
    'The form was not accepted',
    'It was open for too long, your browser sent no cookie, or it came from another site. ' +
      'Nothing was changed. Open the page again and repeat it.',
  ),
  notYourRole: problem(
    403,
    'Not for your role',
    'Your role in this company does not include this page. Nothing was changed. An owner of the ' +
      'account can give you another role.',
    'Your role does not include this page. Nothing was changed. An operator can give you another role.',
  ),
  keyNotKept: problem(
    404,
    'The key cannot be copied',
    'It has ended, or the service can no longer decrypt it. Rotate it, or make another one.',
  ),
  tooBig: problem(413, 'The form is too large', 'Send a smaller form or file.'),
  notAForm: problem(415, 'Not a form', 'This page accepts only forms in the encoding of browsers.'),
  noSuchMethod: problem(405, 'Not possible', 'This page cannot be used in this way.'),
  invalid: problem(400, 'The request is not valid', 'Go back and try it again.'),
  tooMany: problem(
    429,
    'Too many requests',
    'Your network or your company sent too many requests, so this one was not processed. ' +
      'Nothing was changed. Wait a minute, then try again.',
    'Your network sent too many requests, so this one was not processed. Nothing was changed. ' +
      'Wait a minute, then try again.',
  ),
  tooManyRows: problem(
    422,
    'Too many rows for one file',
    `A file has at most ${DOWNLOAD_ROWS} rows. Go back, choose fewer days, and download it in parts.`,
  ),
  busy: problem(
    503,
    'We are busy',
    'The service cannot answer at the moment. Nothing was changed. Try again in a few seconds.',
  ),
  broken: problem(
    500,
    'Something went wrong',
    'The service failed, and the error was recorded. Try again; if it fails again, contact ' +
      'support with the number below.',
    'The service failed, and the error was recorded. Try again; if it fails again, tell an ' +
      'operator the number below.',
  ),
  unsure: problem(
    500,
    'The outcome is not known',
    'The service failed before it could answer. Your change may have been made, or it may still be made. ' +
      'Load this page again: your browser sends the same form once more, and a sale or an order takes place ' +
      'once. Do not fill in a new form before.',
    'The service failed before it could answer. Your change may have been made, or it may still be made. ' +
      'Load this page again: your browser sends the same form once more, and a repair is asked for ' +
      'once. Do not fill in a new form before.',
  ),
} satisfies Record<string, PageProblem>;

/** The problems that refusals of the service are shown as, by their status. */
const ofRefusals: readonly PageProblem[] = [
  problems.invalid,
  problems.notFound,
  problems.noSuchMethod,
  problems.tooBig,
  problems.notAForm,
  problems.tooMany,
  problems.busy,
];

/**
 * Replaces every page for people of a suspended partner or a deactivated merchant: nothing is shown
 * or changed until an operator reinstates the company.
 */
export const suspendedPage = ({ companyName }: Pick<PersonSession, 'companyName'>): PageAnswer => ({
  kind: 'page',
  status: 403,
  title: 'Account suspended',
  content: html`<div class="card narrow">
<h1>This account is suspended</h1>
<p>${companyName} cannot use the service at the moment: its calls are refused, and its
access cannot be changed here. Money and vouchers are unaffected.</p>
<p>Contact support to reinstate it.</p>
</div>`,
});

/** Writes the answer of a page or of a guard, or the refusal of the service (http/app.ts). */
export function writeAnswer(
  context: Context,
  tools: PageTools,
  answer: PageAnswer | Refusal,
): void {
  if ('ok' in answer) writeRefusal(context, tools, answer);
  else if (answer.kind === 'problem') writeProblem(context, tools, answer);
  else if (answer.kind === 'file') {
    context.status = 200;
    context.set('Content-Disposition', `attachment; filename="${answer.name}"`);
    context.type = `${answer.type}; charset=utf-8`;
    context.body = answer.content;
  } else {
    for (const cookie of answer.setCookies ?? []) context.append('Set-Cookie', cookie);
    if (answer.kind === 'page') writePage(context, tools, answer);
    else {
      context.redirect(answer.to);
      // With 303 the browser requests the next page by GET.
      context.status = 303;
    }
  }
}

function writeRefusal(context: Context, tools: PageTools, refusal: Refusal): void {
  Object.assign(context.state.log, { reason: refusal.reason });
  const status = httpStatusOf(statusCodeOf(refusal.reason, 'partner'));
  if (refusal.retryAfterSeconds) context.set('Retry-After', String(refusal.retryAfterSeconds));
  const shown = ofRefusals.find((one) => one.status === status) ?? problems.broken;
  const isUnsure = shown.status >= 500 && context.state.mayChange === true;
  writeProblem(context, tools, isUnsure ? { ...problems.unsure, status: shown.status } : shown);
}

function writeProblem(context: Context, tools: PageTools, shown: PageProblem): void {
  const { site } = tools;
  const requestId = shown.status >= 500 ? String(context.state.log?.requestId ?? '') : '';
  const content = html`<div class="card narrow">
<h1>${phrase(shown.title)}</h1>
<p>${phrase((site.isForStaff && shown.textForStaff) || shown.text)}</p>
${requestId && html`<p class="quiet">Request <code>${requestId}</code></p>`}
<p><a class="button" href="${site.basePath}">To the overview</a></p>
</div>`;
  writePage(context, tools, { title: shown.title, content, status: shown.status });
}
