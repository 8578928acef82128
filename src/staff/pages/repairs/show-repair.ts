import { findShownRepair, type ShownRepair } from '../../../db/repairs/repair-lists.ts';
import { actorOfPerson } from '../../../domain/access/access-changes.ts';
import { facts } from '../../../portal/layout/facts.ts';
import { message, time } from '../../../portal/layout/parts.ts';
import { idOf, type PageAnswer } from '../../../portal/page.ts';
import { problems } from '../../../portal/problem-page.ts';
import { workflowPage } from '../../../process/temporal-ui.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { maskedNumberOf } from '../../../repairs/repair-arguments.ts';
import { casePath } from '../../case-path.ts';
import type { NextStep } from '../../next-step.ts';
import type { StaffPage, StaffRequest } from '../../page.ts';
import { readCase, type SupportCase } from '../../support-case.ts';
import { briefWithNumber, formOfNumber, type ShownNumbers, shownNumber } from '../number-parts.ts';
import { decision } from './decide-repair.ts';
import { nextChoices } from './repair-choices.ts';
import { type Offer, offersOf } from './repair-offers.ts';
import {
  amountOf,
  askerOf,
  caseOfRepair,
  confirmerOf,
  repairBadge,
  repairPath,
  shownState,
  subjectOf,
  titleOf,
  workflowOf,
} from './repair-parts.ts';

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
  const left = found && (await whatIsLeft(request, row, { found, isShown: numbers !== undefined }));
  const title = `Repair ${row.id}: ${titleOf(row)}`;
  // A number that is shown would be gone with the next load.
  const isUnderWay = OPEN.includes(row.state) && numbers === undefined;
  const isAsked = row.state === 'ASKED';
  const decide = isAsked && (await decision(request, row));
  // Who confirms it reads first what it is about; who asked for it knows.
  const isForOther = isAsked && row.asked_by !== actorOfPerson(request.session);
  return {
    kind: 'page',
    title,
    ...(isUnderWay && { refreshSeconds: REFRESH_SECONDS }),
    content: html`<h1>${titleOf(row)} ${repairBadge(row)}</h1>
${row.result !== null && message(shownState(row)[0], html`${row.result}`)}
${isUnderWay && html`<p>This page loads itself again.</p>`}
${numbers !== undefined && shownNumber(numbers)}
${!isForOther && html`${decide}${left}`}
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
${row.result === null && found?.hasNumber && numbers === undefined && formOfNumber(request, repairPath(row.id))}</details>
${isForOther && html`${decide}${left}`}`,
  };
}

/**
 * The case as it is after the repair, and what comes next: which reference to give to whom, or where the value is
 * now. What was just done is not offered again; where the next step names it, the way back to the case does, too.
 * While a provider is silent, the page says so.
 */
async function whatIsLeft(
  request: StaffRequest,
  row: ShownRepair,
  { found, isShown }: { readonly found: SupportCase; readonly isShown: boolean },
): Promise<Html> {
  const { next } = found;
  if (row.result === null)
    return html`${OPEN.includes(row.state) && next.first !== undefined && silence(next)}
${backToCase(found)}`;
  const offers = await offersOf(request, found);
  const isAgain = ({ kind }: Offer) => row.state === 'DONE' && kind.name === row.kind;
  const again = offers.filter(isAgain).find(({ kind }) => namesRepair(next, kind.name));
  return html`${briefWithNumber(request, found, isShown ? undefined : repairPath(row.id))}
${nextChoices(request, {
  offers: offers.filter((offer) => !isAgain(offer)),
  next,
  refused: undefined,
})}
${backToCase(found, again && `, to “${again.kind.title}”`)}`;
}

const backToCase = (found: SupportCase, why?: string): Html =>
  html`<p class="actions"><a class="button secondary" href="${casePath(found)}">Back to the case${why}</a></p>`;

const namesRepair = ({ first, instead }: NextStep, name: string): boolean =>
  first === name || (instead?.includes(name) ?? false);

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
