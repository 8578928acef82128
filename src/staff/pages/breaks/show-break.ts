import { caseId } from '../../../../workflows/workflow-ids.ts';
import { addAuditEntry } from '../../../db/access/audit.ts';
import { type FoundCase, findCases } from '../../../db/cases/find-cases.ts';
import { type Break, findBreak } from '../../../db/provider-statements/breaks.ts';
import { SETTLE_BREAK, settleBreak } from '../../../db/provider-statements/settle-break.ts';
import { actorOfPerson } from '../../../domain/access/access-changes.ts';
import { breakMeanings, remedyOf } from '../../../domain/provider-statements/break-types.ts';
import { refuseReason } from '../../../domain/repairs/reason.ts';
import { readSearchTerm } from '../../../domain/staff/search-term.ts';
import { mayAsStaff } from '../../../domain/staff/staff-role.ts';
import { facts } from '../../../portal/layout/facts.ts';
import { readName } from '../../../portal/layout/form.ts';
import { field, message, postForm, time } from '../../../portal/layout/parts.ts';
import { idOf, type PageAnswer } from '../../../portal/page.ts';
import { problems } from '../../../portal/problem-page.ts';
import { workflowPage } from '../../../process/temporal-ui.ts';
import { type Html, type HtmlValue, html } from '../../../rendering/html.ts';
import { casePath } from '../../case-path.ts';
import type { StaffPage, StaffRequest } from '../../page.ts';
import { BREAKS_PATH, breakBadge, breakPath, kindOf, sideOf } from './break-parts.ts';

/** One break: both sides, its case, what to do, and the form that settles it. */
export const showBreak: StaffPage = {
  method: 'GET',
  path: '/breaks/:id',
  access: 'staff',
  needs: 'look',
  async handle(request) {
    const found = await findBreak(request.services.database, idOf(request));
    return found ? pageOf(request, found) : problems.notFound;
  },
};

const LONGEST_REASON = 200;

/** Settles a break as the command `settle break` does. It moves no money. */
export const settleBreakPage: StaffPage = {
  method: 'POST',
  path: '/breaks/:id/settle',
  access: 'staff',
  needs: 'operate',
  async handle(request) {
    const { services, session, sourceAddress, form } = request;
    const id = idOf(request);
    const found = await findBreak(services.database, id);
    if (!found) return problems.notFound;
    const note = readName(form.text('note'), LONGEST_REASON);
    if (note === undefined)
      return pageOf(request, found, { error: 'Enter the reason in one line.', status: 400 });
    const refusal = refuseReason(note);
    if (refusal !== undefined) return pageOf(request, found, { error: refusal, status: 400 });
    const by = actorOfPerson(session);
    const settled = await services.database.transaction().execute(async (transaction) => {
      const result = await settleBreak(transaction, id, { by, note });
      if (result.kind !== 'settled') return result;
      const { subject, details } = result;
      await addAuditEntry(transaction, {
        actor: by,
        action: SETTLE_BREAK,
        subjectKind: subject.kind,
        subjectId: subject.id,
        details: { ...details, sourceAddress },
      });
      return result;
    });
    const notice =
      settled.kind === 'ended'
        ? 'The break was ended before: nothing was changed.'
        : 'The break is settled.';
    return { kind: 'redirect', to: breakPath(id), notice };
  },
};

async function pageOf(
  request: StaffRequest,
  found: Break,
  refused?: { readonly error: string; readonly status: number },
): Promise<PageAnswer> {
  const title = `Break ${found.id}: ${found.type}`;
  const isOpen = found.state === 'OPEN';
  return {
    kind: 'page',
    title,
    ...(refused && { status: refused.status }),
    content: html`<p><a href="${BREAKS_PATH}">All breaks</a></p>
<h1>${title} ${breakBadge(found)}</h1>
<p>${breakMeanings[found.type]}.</p>
${isOpen && message('notice', html`<div><strong>What to do next</strong><br>${withCode(remedyOf(found.type))}</div>`)}
<section class="card">${facts(await factsOf(request, found))}</section>
${isOpen && settling(request, found, refused?.error)}`,
  };
}

async function factsOf(
  request: StaffRequest,
  found: Break,
): Promise<Readonly<Record<string, HtmlValue>>> {
  const { reference, providerReference, endedAt, endedWhy, endedBy } = found;
  return {
    Provider: found.provider,
    Day: found.day,
    What: kindOf(found),
    'Our books': sideOf(found.ourStatus, found.ourAmount, 'ETB'),
    'Provider says': sideOf(found.providerStatus, found.providerAmount, found.providerCurrency),
    'Our reference': reference === null ? '–' : html`<code>${reference}</code>`,
    'Its reference': providerReference === null ? '–' : html`<code>${providerReference}</code>`,
    'Voucher or top-up': await casesOf(request, found),
    ...(found.state === 'OPEN' && found.type !== 'late' && { Case: caseLink(request, found) }),
    Found: time(found.foundAt),
    ...(endedAt !== null && {
      Ended: endedBy === null ? time(endedAt) : html`${time(endedAt)} by ${endedBy}`,
      Why: endedWhy ?? '–',
    }),
  };
}

const withCode = (text: string): Html[] =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

/** Found by the reference that the books have, else by the provider's. */
async function casesOf({ services }: StaffRequest, found: Break): Promise<HtmlValue> {
  const term = readSearchTerm(found.reference ?? found.providerReference ?? '');
  // Numbers, codes and ids are no references here, even where they look alike.
  const { uuid, reference } = term ?? {};
  const { cases } = await findCases(
    services.database,
    { ...(uuid !== undefined && { uuid }), ...(reference !== undefined && { reference }) },
    MOST_CASES,
  );
  return cases.length === 0 ? 'None of ours' : cases.map(linkTo);
}

const MOST_CASES = 5;

const linkTo = ({ kind, id, name }: FoundCase): Html =>
  html`<a href="${casePath({ kind, id })}">${kind === 'voucher' ? 'Voucher' : 'Top-up'} ${name}</a> `;

function caseLink({ services }: StaffRequest, { id }: Break): Html {
  const workflowId = caseId(
    { kind: 'break', reference: String(id) },
    // Of cases of payments no part.
    '',
  );
  const page = workflowPage(services.settings.temporalUi, workflowId);
  const name = html`<code>${workflowId}</code>`;
  return page === undefined
    ? name
    : html`<a href="${page}" target="_blank" rel="noreferrer">${name}</a>`;
}

function settling({ staff, formToken }: StaffRequest, { id, type }: Break, error?: string): Html {
  if (!mayAsStaff(staff.role, 'operate'))
    return message('notice', 'Your role may look: an operator settles it when it is clear.');
  return html`<section class="card"><h2>Settle it</h2>
<p>When it is clear. Settling moves no money, and the break stays settled when its day is compared again.${type === 'late' && ' This one closes itself.'}</p>
${postForm(
  { action: `${breakPath(id)}/settle`, formToken },
  html`${field({ name: 'note', label: 'The cause, and what was done', hint: NOTE, error, maximumLength: LONGEST_REASON })}
<p class="actions"><button>Settle the break</button></p>`,
)}</section>`;
}

const NOTE = 'Neither a phone number nor a code: it is kept in clear, and in the audit log.';
