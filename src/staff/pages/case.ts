import { facts, type Happening, story } from '../../portal/layout/facts.js';
import { emptyState, message, postForm } from '../../portal/layout/parts.js';
import { ledgerHistory } from '../../portal/layout/transfer-labels.js';
import { idOf, type PageAnswer } from '../../portal/page.js';
import { problems } from '../../portal/problem-page.js';
import { type Html, html } from '../../process/html.js';
import { workflowPage } from '../../process/temporal-ui.js';
import { casePath } from '../case-path.js';
import { type StaffPage, type StaffRequest, SUPPORT_PATH } from '../page.js';
import { type CaseKind, readCase, type SupportCase } from '../support-case.js';
import { repairTable } from './repairs/repair-parts.js';

const showCase = (kind: CaseKind, path: string): StaffPage => ({
  method: 'GET',
  path,
  access: 'staff',
  needs: 'look',
  handle: (request) => casePage(request, kind),
});

/** One customer's case about a voucher: what happened, and what to do next. */
export const showVoucherCase = showCase('voucher', '/vouchers/:id');

/** One customer's case about a top-up. */
export const showTopupCase = showCase('top-up', '/top-ups/:id');

/** The page of a case; `number` is shown where the person has asked for it. */
export async function casePage(
  request: StaffRequest,
  kind: CaseKind,
  number?: string,
): Promise<PageAnswer> {
  const found = await readCase(request.services.database, kind, idOf(request));
  if (!found) return problems.notFound;
  const title = `${kind === 'voucher' ? 'Voucher' : 'Top-up'} ${found.name}`;
  return {
    kind: 'page',
    title,
    content: html`<p><a href="${SUPPORT_PATH}">Find another case</a></p>
<h1>${kind === 'voucher' ? 'Voucher' : 'Top-up'} <code>${found.name}</code> ${found.state}</h1>
${message('notice', html`<div><strong>What to do next</strong><br>${found.next}</div>`)}
${repairsOf(found)}
<section class="card"><h2>What happened</h2>${storyOf(request, found)}</section>
<section class="card"><h2>The ${kind}</h2>${facts(found.facts)}
${numberOf(request, found, number)}</section>
<section class="card"><h2>How the money moved</h2>${
      found.transfers.length === 0
        ? emptyState('Nothing was charged', 'No money moved.')
        : ledgerHistory(found.transfers)
    }</section>`,
  };
}

/** The repairs of a case so far, and the way to those that are possible now. */
function repairsOf({ kind, id, repairs }: SupportCase): Html {
  const rows = repairs.slice(0, SHOWN_REPAIRS);
  return html`<section class="card"><h2>Repairs</h2>
${rows.length > 0 && repairTable('Repairs so far', rows)}
<p class="actions"><a class="button secondary" href="${casePath(kind, id)}/repairs">See what can be repaired</a></p></section>`;
}

const SHOWN_REPAIRS = 5;

function storyOf({ services }: StaffRequest, { happenings }: SupportCase): Html {
  const linkOf = ({ workflowId }: Happening) => {
    const page = workflowId && workflowPage(services.settings.temporalUi, workflowId);
    return (
      page && html` <a class="quiet" href="${page}" target="_blank" rel="noreferrer">Workflow</a>`
    );
  };
  return story(happenings, linkOf);
}

function numberOf(
  { formToken }: StaffRequest,
  { kind, id, hasNumber }: SupportCase,
  number?: string,
): Html | undefined {
  if (number !== undefined)
    return message(
      'notice',
      html`<div>The number is <strong>${number}</strong>. That you saw it is in the audit log.</div>`,
    );
  if (!hasNumber) return undefined;
  return postForm(
    { action: `${casePath(kind, id)}/number`, formToken, className: 'actions' },
    html`<button class="secondary">Show the number</button>`,
  );
}
