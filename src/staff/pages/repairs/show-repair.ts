import { confirmRepair, declineRepair } from '../../../db/repairs/repair-confirmations.js';
import { findRepair, findShownRepair, type ShownRepair } from '../../../db/repairs/repair-lists.js';
import { actorOfPerson } from '../../../domain/access/access-changes.js';
import { refuseReason } from '../../../domain/repairs/reason.js';
import { isStaffActor } from '../../../domain/repairs/repair.js';
import { mayAsStaff } from '../../../domain/staff/staff-role.js';
import { facts } from '../../../portal/layout/facts.js';
import { readName } from '../../../portal/layout/form.js';
import { field, message, postForm, time } from '../../../portal/layout/parts.js';
import { idOf, type PageAnswer } from '../../../portal/page.js';
import { problems } from '../../../portal/problem-page.js';
import { workflowPage } from '../../../process/temporal-ui.js';
import { type Html, html } from '../../../rendering/html.js';
import { maskedNumberOf } from '../../../repairs/repair-arguments.js';
import { casePath } from '../../case-path.js';
import type { NextStep } from '../../next-step.js';
import type { StaffPage, StaffRequest } from '../../page.js';
import { readCase, type SupportCase } from '../../support-case.js';
import { formOfNumber, type ShownNumbers, shownNumber } from '../number-parts.js';
import { nextChoices } from './repair-choices.js';
import { offersOf } from './repair-offers.js';
import {
  amountOf,
  askerOf,
  caseOfRepair,
  confirmerOf,
  repairBadge,
  repairPath,
  subjectOf,
  titleOf,
  workflowOf,
} from './repair-parts.js';

const OPEN = ['READY', 'RUNNING'];
const REFRESH_SECONDS = 2;

/** One repair: who asked, who confirmed, and what came of it. */
export const showRepair: StaffPage = {
  method: 'GET',
  path: '/repairs/:id',
  access: 'staff',
  needs: 'look',
  async handle(request) {
    const row = await findShownRepair(request.services.database, idOf(request));
    return row ? repairPage(request, row) : problems.notFound;
  },
};

/** The page of a repair; numbers are shown where the person has asked for them. */
export async function repairPage(
  request: StaffRequest,
  row: ShownRepair,
  numbers?: ShownNumbers,
): Promise<PageAnswer> {
  const about = caseOfRepair(row);
  const found = about && (await readCase(request.services.database, about));
  const left = found && (await whatIsLeft(request, row, found));
  const title = `Repair ${row.id}: ${titleOf(row)}`;
  // A number that is shown would be gone with the next load.
  const isUnderWay = OPEN.includes(row.state) && numbers === undefined;
  const isAsked = row.state === 'ASKED';
  // Who confirms it reads first what it is about; who asked for it knows.
  const isForOther = isAsked && row.asked_by !== actorOfPerson(request.session);
  return {
    kind: 'page',
    title,
    ...(isUnderWay && { refreshSeconds: REFRESH_SECONDS }),
    content: html`<h1>${titleOf(row)} ${repairBadge(row)}</h1>
${row.result !== null && message(row.state === 'DONE' ? 'success' : 'warning', html`${row.result}`)}
${isUnderWay && html`<p>This page loads itself again.</p>`}
${numbers !== undefined && shownNumber(numbers)}
${!isForOther && html`${isAsked && decision(request, row)}${left}`}
<details class="card"${isForOther && html` open`}><summary>Repair ${row.id}</summary>${facts({
      About: subjectOf(row),
      Amount: amountOf(row),
      Why: row.why,
      ...argumentsOf(row, request),
      Asked: html`${time(row.asked_at)} by ${askerOf(row)}`,
      ...(row.confirmed_at && {
        Confirmed: html`${time(row.confirmed_at)} by ${confirmerOf(row)}`,
      }),
      Workflow: workflowLink(request, row),
    })}
${found?.hasNumber && numbers === undefined && formOfNumber(request, repairPath(row.id))}</details>
${isForOther && html`${decision(request, row)}${left}`}`,
  };
}

/**
 * The case as it is after the repair, and what comes next: which reference to give to whom, or where the value is
 * now. What was just done is not offered again. While a provider is silent, the page says so.
 */
async function whatIsLeft(
  request: StaffRequest,
  row: ShownRepair,
  found: SupportCase,
): Promise<Html> {
  const { next } = found;
  return html`${row.result !== null && (await choicesAfter(request, row, found))}
${OPEN.includes(row.state) && next.first !== undefined && silence(next)}
<p class="actions"><a class="button secondary" href="${casePath(found)}">Back to the case</a></p>`;
}

async function choicesAfter(
  request: StaffRequest,
  row: ShownRepair,
  found: SupportCase,
): Promise<Html> {
  const { brief, next } = found;
  const offers = await offersOf(request, found);
  const left = row.state === 'DONE' ? offers.filter(({ kind }) => kind.name !== row.kind) : offers;
  return html`<p>${brief}</p>${nextChoices(request, { offers: left, next, refused: undefined })}`;
}

/** A page that loads itself again keeps no form: that stands on the page of the case. */
const silence = ({ happened }: NextStep): Html =>
  html`<section class="card next"><p class="lead">${happened}</p>
<p>What the provider says is booked on the page of the case.</p></section>`;

function workflowLink({ services }: StaffRequest, row: ShownRepair): Html {
  const workflowId = workflowOf(row);
  const page = workflowPage(services.settings.temporalUi, workflowId);
  const name = html`<code>${workflowId}</code>`;
  return page === undefined
    ? name
    : html`<a href="${page}" target="_blank" rel="noreferrer">${name}</a>`;
}

/** What was asked for. A number is masked; who compares it with the ticket asks to see it. */
const argumentsOf = (
  row: ShownRepair,
  { services }: StaffRequest,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(row.arguments)
      .filter(([name]) => !['claimId', 'operationId', 'attempt'].includes(name))
      .map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), String(value)]),
  ),
  ...(row.sealed_arguments === null
    ? {}
    : { 'Number given': maskedNumberOf(row, services.secretBox) ?? 'It cannot be read any more' }),
});

/** The forms of the second person, and of the one who asked. */
function decision({ session, staff, formToken }: StaffRequest, row: ShownRepair): Html {
  const isOwn = row.asked_by === actorOfPerson(session);
  const mayDecide = !isOwn && mayAsStaff(staff.role, 'confirm');
  const isOfPerson = isStaffActor(row.asked_by);
  return html`<section class="card"><h2>${mayDecide ? 'Decide' : 'What comes next'}</h2>
<p>${
    isOwn
      ? html`Ask a supervisor to confirm it,`
      : html`It is carried out when another person confirms it,`
  } until ${time(row.confirm_until)}.</p>
${!isOfPerson && message('notice', FROM_COMMAND_LINE)}
${isOfPerson && !isOwn && !mayDecide && message('notice', 'Your role looks and asks: a supervisor confirms it.')}
${
  mayDecide &&
  isOfPerson &&
  postForm(
    { action: `${repairPath(row.id)}/confirm`, formToken, className: 'actions' },
    html`<button>Confirm</button>`,
  )
}
${
  (isOwn || mayDecide) &&
  html`<details><summary class="button secondary">${isOwn ? 'Withdraw' : 'Decline'}</summary>
${postForm(
  { action: `${repairPath(row.id)}/decline`, formToken },
  html`${field({ name: 'why', label: 'Why not' })}
<p class="actions"><button class="secondary">${isOwn ? 'Withdraw the repair' : 'Decline the repair'}</button></p>`,
)}</details>`
}</section>`;
}

const FROM_COMMAND_LINE =
  'It was asked for on the command line, which does not say for certain who asks, so that nobody can be ' +
  'another person: let it be declined, and ask for it here.';

const DECIDED = 'It does not wait any more, or you may not decide about it.';

const backTo = (id: number, notice: string): PageAnswer => ({
  kind: 'redirect',
  to: repairPath(id),
  notice,
});

/** Confirms what somebody else asked for, after the person has proved to be there. */
export const confirmRepairPage: StaffPage = {
  method: 'POST',
  path: '/repairs/:id/confirm',
  access: 'staff',
  needs: 'confirm',
  confirmation: 'recent',
  async handle(request) {
    const id = idOf(request);
    const isConfirmed = await request.services.database
      .transaction()
      .execute((transaction) => confirmRepair(transaction, id, request.staff.id));
    return backTo(id, isConfirmed ? 'You have confirmed it.' : DECIDED);
  },
};

/** Ends a repair that waits: by the one who asked, or by one who could confirm it. */
export const declineRepairPage: StaffPage = {
  method: 'POST',
  path: '/repairs/:id/decline',
  access: 'staff',
  needs: 'ask',
  async handle(request) {
    const { services, session, staff, form } = request;
    const id = idOf(request);
    const actor = actorOfPerson(session);
    const row = await findRepair(services.database, id);
    const why = readName(form.text('why'), 200);
    if (!row) return problems.notFound;
    if (row.asked_by !== actor && !mayAsStaff(staff.role, 'confirm')) return backTo(id, DECIDED);
    if (why === undefined) return backTo(id, 'Say why not.');
    const refusal = refuseReason(why);
    if (refusal !== undefined) return backTo(id, refusal);
    const isDeclined = await services.database
      .transaction()
      .execute((transaction) => declineRepair(transaction, id, { actor, why }));
    return backTo(id, isDeclined ? 'It is not carried out.' : DECIDED);
  },
};
