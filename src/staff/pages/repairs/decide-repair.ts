import { confirmRepair, declineRepair } from '../../../db/repairs/repair-confirmations.ts';
import { findRepair, findShownRepair, type ShownRepair } from '../../../db/repairs/repair-lists.ts';
import { actorOfPerson } from '../../../domain/access/access-changes.ts';
import { refuseReason } from '../../../domain/repairs/reason.ts';
import { isStaffActor } from '../../../domain/repairs/repair.ts';
import { mayAsStaff } from '../../../domain/staff/staff-role.ts';
import { readName } from '../../../portal/layout/form.ts';
import { field, message, postForm, time } from '../../../portal/layout/parts.ts';
import { idOf, type PageAnswer } from '../../../portal/page.ts';
import { problems } from '../../../portal/problem-page.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { maskedNumberOf, readArguments } from '../../../repairs/repair-arguments.ts';
import { findRepairKind } from '../../../repairs/repair-kinds.ts';
import { whySecondPerson } from '../../../repairs/second-person.ts';
import type { StaffPage, StaffRequest } from '../../page.ts';
import { amountOf, askerOf, nameOf, repairPath, titleOf } from './repair-parts.ts';

/** As the end of a sentence; undefined where the limits are others now, or the number cannot be read any more. */
async function whyItWaits(
  { services }: StaffRequest,
  row: ShownRepair,
): Promise<string | undefined> {
  const { database, secretBox, settings } = services;
  const { repairs: limits } = settings;
  const kind = findRepairKind(row.kind);
  const args = readArguments(row, secretBox);
  const judged = args && (await kind?.judge(database, row.subject_id, args, limits));
  return judged && whySecondPerson(database, judged, row, limits);
}

/** What a repair waits for and why, with the forms of the second person and of the one who asked. */
export async function decision(request: StaffRequest, row: ShownRepair): Promise<Html> {
  const { session, staff, formToken } = request;
  const why = await whyItWaits(request, row);
  const isOwn = row.asked_by === actorOfPerson(session);
  const mayDecide = !isOwn && mayAsStaff(staff.role, 'confirm');
  const isOfPerson = isStaffActor(row.asked_by);
  const title = mayDecide ? 'Decide' : 'Another person must confirm it';
  return html`<section class="card"><h2>${isOwn ? 'Ask a supervisor to confirm it' : title}</h2>
<p>It waits until ${time(row.confirm_until)}${why && html`, because ${why}`}.</p>
${!isOfPerson && message('notice', FROM_COMMAND_LINE)}
${isOfPerson && !isOwn && !mayDecide && message('notice', 'Your role may ask, not confirm: a supervisor confirms it.')}
${
  mayDecide &&
  isOfPerson &&
  postForm(
    { action: `${repairPath(row.id)}/confirm`, formToken, className: 'actions' },
    html`<button${findRepairKind(row.kind)?.isFinal && html` class="danger"`}>Confirm</button>`,
  )
}
${
  (isOwn || mayDecide) &&
  html`<details><summary class="button secondary">${isOwn ? 'Withdraw' : 'Decline'}</summary>
${postForm(
  { action: `${repairPath(row.id)}/decline`, formToken },
  html`${field({ name: 'why', label: 'Why' })}
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
  confirmation: async (request) => {
    const { database, secretBox } = request.services;
    const row = await findShownRepair(database, idOf(request));
    const number = row && maskedNumberOf(row, secretBox);
    return (
      row &&
      html`You are about to confirm “${titleOf(row)}” of ${nameOf(row)}: ${amountOf(row)}, asked for by ${askerOf(row)}.${number && html` The new number is ${number}.`}`
    );
  },
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
    if (why === undefined) return backTo(id, 'Say why.');
    const refusal = refuseReason(why);
    if (refusal !== undefined) return backTo(id, refusal);
    const isDeclined = await services.database
      .transaction()
      .execute((transaction) => declineRepair(transaction, id, { actor, why }));
    return isDeclined ? { kind: 'redirect', to: repairPath(id) } : backTo(id, DECIDED);
  },
};
