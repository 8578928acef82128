import { z } from 'zod';
import {
  findRepair,
  findShownRepair,
  listRepairs,
  type ShownRepair,
} from '../../db/repairs/repair-lists.ts';
import { confirmRepair, declineRepair } from '../../db/repairs/repairs.ts';
import { actorOfPerson, isStaffActor } from '../../domain/access.ts';
import { readWaitingEnd, takenOutOf } from '../../domain/repairs.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import { whySecondPerson } from '../../repairs/ask-repair.ts';
import { maskedNumberOf, readArguments } from '../../repairs/repair-kind.ts';
import { findRepairKind } from '../../repairs/repair-kinds.ts';
import type { RepairKindName } from '../../repairs/repair-titles.ts';
import { problems } from '../answers.ts';
import { emptyState, facts, field, message, postForm, time } from '../layout/parts.ts';
import { idOf, type PageAnswer, redirect, type StaffRequest, staffMay, support } from '../page.ts';
import { proofOnForm } from '../session/confirmation.ts';
import { isAboutSilence, type NextStep } from './next-steps.ts';
import { answerOf, labelOf, nextChoices, type Offer, offersOf, readWhy } from './repair-form.ts';
import {
  amountOf,
  askerOf,
  caseOfRepair,
  casePath,
  companyLink,
  companyPath,
  confirmerOf,
  openCasePath,
  repairBadge,
  repairPath,
  repairTable,
  repairTitle,
  shownState,
  subjectName,
  subjectOfRepair,
  workflowLink,
  workflowOf,
} from './repair-parts.ts';
import {
  briefWithNumber,
  formOfNumber,
  readCase,
  type ShownNumbers,
  type SupportCase,
  shownNumber,
} from './support-case.ts';

/** Its effect, and why it waits; neither where the limits are others now, or the number cannot be read any more. */
async function effectAndWhy(
  { services }: StaffRequest,
  row: ShownRepair,
): Promise<{ readonly effect?: string | undefined; readonly why?: string | undefined }> {
  const { database, secretBox, settings } = services;
  const kind = findRepairKind(row.kind);
  const args = readArguments(row, secretBox);
  const judged = args && (await kind?.judge(database, row.subject_id, args, services));
  if (!judged) return {};
  const why = await whySecondPerson(database, judged, row, settings);
  return { effect: judged.effect, why };
}

/** The reason why a repair waits, with the forms of the second person and of its asker. */
async function decision(request: StaffRequest, row: ShownRepair): Promise<Html> {
  const { session } = request;
  const { effect, why } = await effectAndWhy(request, row);
  const isOwn = row.asked_by === actorOfPerson(session);
  const mayDecide = !isOwn && staffMay(request, 'confirm');
  const isOfPerson = isStaffActor(row.asked_by);
  const title = mayDecide ? 'Decide' : 'Another person must confirm it';
  return html`<section class="card"><h2>${isOwn ? 'Ask a supervisor to confirm it' : title}</h2>
${effect && html`<p class="lead">${effect}</p>`}
<p>It waits until ${time(row.confirm_until)}${why && html`, because ${why}`}.</p>
${!isOfPerson && message('notice', FROM_COMMAND_LINE)}
${isOfPerson && !isOwn && !mayDecide && message('notice', 'Your role may ask, not confirm: a supervisor confirms it.')}
${
  mayDecide &&
  isOfPerson &&
  postForm(
    request,
    `${repairPath(row.id)}/confirm`,
    html`${await proofOnForm(request)}
<p class="actions"><button${findRepairKind(row.kind)?.isIrreversible && html` class="danger"`}>Confirm</button></p>`,
  )
}
${
  (isOwn || mayDecide) &&
  html`<details><summary class="button secondary">${isOwn ? 'Withdraw' : 'Decline'}</summary>
${postForm(
  request,
  `${repairPath(row.id)}/decline`,
  html`${field({ name: 'why', label: 'Why' })}
<p class="actions"><button class="secondary">${isOwn ? 'Withdraw the repair' : 'Decline the repair'}</button></p>`,
)}</details>`
}</section>`;
}

const FROM_COMMAND_LINE =
  'It was asked for on the command line, which does not say for certain who asks, so that nobody can be ' +
  'another person: let it be declined, and ask for it here.';

const DECIDED = 'It does not wait any more, or you may not decide about it.';

/** Confirms what somebody else asked for, after the person has proved to be there. */
export const confirmRepairForm = support.form({
  path: '/repairs/:id/confirm',
  needs: 'confirm',
  confirmation: async (request) => {
    const { database, secretBox } = request.services;
    const row = await findShownRepair(database, idOf(request));
    const number = row && maskedNumberOf(row, secretBox);
    return (
      row &&
      html`You are about to confirm “${repairTitle(row)}” of ${subjectName(row)}: ${amountOf(row)}, asked for by ${askerOf(row)}.${number && html` The new number is ${number}.`}`
    );
  },
  async handle(request) {
    const { services, session } = request;
    const id = idOf(request);
    const isConfirmed =
      (await services.database
        .transaction()
        .execute((transaction) => confirmRepair(transaction, id, session.staff.id))) ||
      // The form was sent twice.
      (await findRepair(services.database, id))?.confirmed_by === actorOfPerson(session);
    return redirect(repairPath(id), isConfirmed ? 'You have confirmed it.' : DECIDED);
  },
});

/** Ends a repair that waits: by its asker, or by a person who could confirm it. */
export const declineRepairForm = support.form({
  path: '/repairs/:id/decline',
  needs: 'ask',
  confirmation: 'none',
  async handle(request) {
    const { services, session } = request;
    const id = idOf(request);
    const actor = actorOfPerson(session);
    const row = await findRepair(services.database, id);
    const why = readWhy(request);
    if (!row) return problems.notFound;
    if (why === undefined) return redirect(repairPath(id), 'Say why.');
    const isDeclined =
      (await services.database
        .transaction()
        .execute((transaction) => declineRepair(transaction, id, { actor, why }))) ||
      // The form was sent twice.
      readWaitingEnd((await findRepair(services.database, id)) ?? row)?.why === why;
    return redirect(repairPath(id), isDeclined ? undefined : DECIDED);
  },
});

const NEWEST = 50;

/** The repairs that wait for a second person, and the newest ones. */
export const showRepairs = support.page({
  path: '/repairs',
  needs: 'look',
  async handle({ services }) {
    const [waiting, newest] = await Promise.all([
      listRepairs(services.database, { state: 'ASKED', limit: NEWEST }),
      listRepairs(services.database, { limit: NEWEST }),
    ]);
    return {
      kind: 'page',
      title: 'Repairs',
      content: html`<h1>Repairs</h1>
<section class="card"><h2>Waiting for confirmation</h2>${repairTable(
        'Repairs that wait for a second person',
        waiting,
        emptyState('Nothing waits', 'No repair waits for a second person.'),
      )}</section>
<section class="card"><h2>The newest ${NEWEST}</h2>${repairTable(
        'The newest repairs',
        newest,
        emptyState('No repairs yet', 'A repair is asked for on the page of its case.'),
      )}</section>`,
    };
  },
});

const OPEN = ['READY', 'RUNNING'];
const REFRESH_SECONDS = 1;

/** One repair: who asked, who confirmed, and what came of it. */
export const showRepair = support.page({
  path: '/repairs/:id',
  refreshes: true,
  needs: 'look',
  async handle(request) {
    const row = await findShownRepair(request.services.database, idOf(request));
    return row ? repairPage(request, row) : problems.notFound;
  },
});

/** The page of a repair; numbers are shown where the person has asked for them. */
export async function repairPage(
  request: StaffRequest,
  row: ShownRepair,
  numbers?: ShownNumbers,
): Promise<PageAnswer> {
  const about = caseOfRepair(row);
  const found = about && (await readCase(request.services.database, about));
  const left = found
    ? await whatIsLeft(request, row, { found, isShown: numbers !== undefined })
    : backToCase(row, undefined);
  const title = `Repair ${row.id}: ${repairTitle(row)}`;
  // A number that is shown would be gone with the next load.
  const isUnderWay = OPEN.includes(row.state) && numbers === undefined;
  const isAsked = row.state === 'ASKED';
  const takenOut = takenOutOf(`${row.why} ${row.result}`);
  const decide = isAsked && (await decision(request, row));
  // Who confirms it reads first what it is about; who asked for it knows.
  const isForOther = isAsked && row.asked_by !== actorOfPerson(request.session);
  return {
    kind: 'page',
    title,
    ...(isUnderWay && { refreshSeconds: REFRESH_SECONDS }),
    content: html`<h1>${repairTitle(row)} ${repairBadge(row)}</h1>
${row.result !== null && !(found && isOfSettledCase(row)) && message(shownState(row)[0], html`${row.result}`)}
${takenOut && message('notice', takenOut)}
${isUnderWay && html`<p>This page loads itself again.</p>`}
${numbers !== undefined && shownNumber(numbers)}
${!isForOther && html`${decide}${left}`}
<details class="card"${isForOther && html` open`}><summary>Repair ${row.id}</summary>${facts({
      About: subjectOfRepair(row),
      ...(row.company_kind &&
        found && {
          Company: companyLink(
            row.company_kind,
            row.company_id,
            row.partner ?? `${row.company_kind} ${row.company_id}`,
          ),
        }),
      Amount: amountOf(row),
      Why: row.why,
      ...argumentsOf(row, request),
      Asked: html`${time(row.asked_at)} by ${askerOf(row)}`,
      ...(row.confirmed_at && {
        Confirmed: html`${time(row.confirmed_at)} by ${confirmerOf(row)}`,
      }),
      Workflow: workflowLink(request, workflowOf(row)),
    })}
${row.result === null && found?.hasNumber && numbers === undefined && formOfNumber(request, repairPath(row.id))}</details>
${isForOther && html`${decide}${left}`}`,
  };
}

/** Its result says what happened of the voucher or the top-up. */
const isOfSettledCase = ({ subject_kind, state }: ShownRepair): boolean =>
  subject_kind === 'case' && state === 'DONE';

/**
 * The case as it is after the repair, and what comes next: which reference to give to whom, or
 * where the value is now. A repair that was just done is not offered again. Where the next step
 * names it, so does the way back to the case. While a provider is silent, the page says so.
 */
async function whatIsLeft(
  request: StaffRequest,
  row: ShownRepair,
  { found, isShown }: { readonly found: SupportCase; readonly isShown: boolean },
): Promise<Html> {
  const { next } = found;
  if (row.result === null)
    return html`${OPEN.includes(row.state) && isAboutSilence(next) && silence(next)}
${backToCase(row, found)}`;
  const offers = await offersOf(request, found);
  const isAgain = ({ kind }: Offer) => row.state === 'DONE' && kind.name === row.kind;
  const again = offers.filter(isAgain).find(({ kind }) => namesRepair(next, kind.name));
  const isSettled = isOfSettledCase(row);
  return html`${!isSettled && briefWithNumber(request, found, isShown ? undefined : repairPath(row.id))}
${nextChoices(request, {
  offers: offers.filter((offer) => !isAgain(offer)),
  next: isSettled ? { ...next, happened: html`${row.result}` } : next,
  refused: undefined,
})}
${backToCase(row, found, again && `, to “${again.kind.title}”`)}`;
}

/**
 * The way back to where the repair was asked for, and from a settled case also to its voucher or top-up. Repairs of
 * wallets are asked for on the page of the partner.
 */
function backToCase(row: ShownRepair, found: SupportCase | undefined, why?: string): Html {
  const isOfCase = row.subject_kind === 'case';
  const { company_kind: kind, company_id: id } = row;
  return html`<p class="actions">${
    !found &&
    !isOfCase &&
    kind &&
    id &&
    html`<a class="button secondary" href="${companyPath({ kind, id })}">Back to the ${kind}</a>`
  }${
    isOfCase &&
    html`<a class="button secondary" href="${openCasePath(Number(row.subject_id))}">Case ${row.subject_id}</a>`
  } ${
    found &&
    html`<a class="button secondary" href="${casePath(found)}">${isOfCase ? `To the ${found.kind}` : 'Back to the case'}${why}</a>`
  }</p>`;
}

const namesRepair = ({ first, instead }: NextStep, name: RepairKindName): boolean =>
  first === name || (instead?.includes(name) ?? false);

/** A page that loads itself again keeps no form: that stands on the page of the case. */
const silence = ({ happened }: NextStep): Html =>
  html`<section class="card next"><p class="lead">${happened}</p>
<p>What the provider says is booked on the page of the case.</p></section>`;

/** The arguments of the repair. A number is masked; who compares it with the ticket asks to see it. */
const argumentsOf = (
  row: ShownRepair,
  { services }: StaffRequest,
): Readonly<Record<string, HtmlValue>> => ({
  ...Object.fromEntries(
    Object.entries(row.arguments).flatMap(([name, value]) => {
      const kind = findRepairKind(row.kind);
      return kind && name in kind.fields.shape
        ? [[labelOf(kind, name), shownArgument(answerOf(kind, name, String(value)))]]
        : [];
    }),
  ),
  ...(row.sealed_arguments !== null && {
    'Number given': maskedNumberOf(row, services.secretBox) ?? 'It cannot be read any more',
  }),
});

/** A moment is shown in the zone of the page, as every other time. */
function shownArgument(text: string): HtmlValue {
  return z.iso.datetime().safeParse(text).success ? time(new Date(text)) : text;
}
