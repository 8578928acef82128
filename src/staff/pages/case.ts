import { facts, type Happening, story } from '../../portal/layout/facts.ts';
import { emptyState } from '../../portal/layout/parts.ts';
import { ledgerHistory } from '../../portal/layout/transfer-labels.ts';
import { idOf, type PageAnswer } from '../../portal/page.ts';
import { problems } from '../../portal/problem-page.ts';
import { workflowPage } from '../../process/temporal-ui.ts';
import { type Html, html } from '../../rendering/html.ts';
import { type CaseKind, casePath, type SupportCaseName } from '../case-path.ts';
import type { StaffPage, StaffRequest } from '../page.ts';
import { readCase, type SupportCase } from '../support-case.ts';
import { briefWithNumber, shownNumber } from './number-parts.ts';
import { nextChoices, otherChoices, type RefusedForm } from './repairs/repair-choices.ts';
import { offersOf } from './repairs/repair-offers.ts';

const showCase = (kind: CaseKind, path: string): StaffPage => ({
  method: 'GET',
  path,
  access: 'staff',
  needs: 'look',
  handle: (request) => casePage(request, { kind, id: idOf(request) }),
});

/** One customer's case about a voucher: what happened, and what to do next. */
export const showVoucherCase = showCase('voucher', '/vouchers/:id');

/** One customer's case about a top-up. */
export const showTopupCase = showCase('top-up', '/top-ups/:id');

/**
 * The page of a case. An agent decides by its first part alone: everything else is folded. `number` is
 * shown where the person has asked for it, and `refused` where nothing came of a form.
 */
export async function casePage(
  request: StaffRequest,
  name: SupportCaseName,
  { number, refused }: { readonly number?: string; readonly refused?: RefusedForm } = {},
): Promise<PageAnswer> {
  const found = await readCase(request.services.database, name);
  if (!found) return problems.notFound;
  const offers = await offersOf(request, found);
  const choices = { offers, next: found.next, refused };
  const { kind } = found;
  const what = kind === 'voucher' ? 'Voucher' : 'Top-up';
  return {
    kind: 'page',
    title: `${what} ${found.name}`,
    ...(refused && { status: 409 }),
    content: html`<h1>${what} <code>${found.name}</code> ${found.state}</h1>
${briefWithNumber(request, found, number === undefined ? casePath(found) : undefined)}
${number !== undefined && shownNumber({ number })}
${nextChoices(request, choices)}
<section class="card">${otherChoices(request, choices)}
<details><summary>What happened</summary>${storyOf(request, found)}</details>
<details><summary>The ${kind}</summary>${facts(found.facts)}</details>
<details><summary>How the money moved</summary>${
      found.transfers.length === 0
        ? emptyState('No money moved', 'Nothing was put on hold or charged.')
        : ledgerHistory(found.transfers)
    }</details></section>`,
  };
}

function storyOf({ services }: StaffRequest, { happenings }: SupportCase): Html {
  const linkOf = ({ workflowId }: Happening) => {
    const page = workflowId && workflowPage(services.settings.temporalUi, workflowId);
    return (
      page && html` <a class="quiet" href="${page}" target="_blank" rel="noreferrer">Workflow</a>`
    );
  };
  return story(happenings, linkOf);
}
