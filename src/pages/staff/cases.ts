import { caseId } from '../../../workflows/workflow-ids.ts';
import { type Case, listCases, otherCasesOf } from '../../db/positions/cases.ts';
import { firstDone, placementsOfCase, type ShownPlacement } from '../../db/positions/placements.ts';
import { listRepairs, type ShownRepair } from '../../db/repairs/repair-lists.ts';
import { actorOfPerson } from '../../domain/access.ts';
import { parseMoney } from '../../domain/money.ts';
import {
  caseAbout,
  caseAdvice,
  caseTitle,
  saidWords,
  settledWords,
  whoToTell,
} from '../../domain/positions/case-texts.ts';
import { allProviders, providerName } from '../../domain/providers.ts';
import { needToAsk } from '../../domain/staff.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import {
  bindingOfCase,
  type CaseFacts,
  caseFacts,
  type ShownChoices,
  settleCaseRepair,
  settledCase,
  shownChoicesOf,
} from '../../repairs/payment-repairs.ts';
import { problems } from '../answers.ts';
import { filterForm } from '../layout/forms.ts';
import {
  amountColumn,
  badge,
  emptyState,
  facts,
  type Happening,
  happening,
  message,
  money,
  providerColumn,
  story,
  type TableColumn,
  table,
  textColumn,
  time,
  timeColumn,
  unbroken,
} from '../layout/parts.ts';
import { idOf, type PageAnswer, type StaffRequest, staffMay, support } from '../page.ts';
import { linkToCase, nextOfOpenRepair } from './next-steps.ts';
import { contactOf, type RefusedForm, repairForm, secondPersonFor } from './repair-form.ts';
import {
  CASES_PATH,
  casePath,
  companyLink,
  openCasePath,
  repairTable,
  workflowLink,
} from './repair-parts.ts';

const SHOWN = 200;

const fields = {
  provider: {
    label: 'Provider',
    options: allProviders.map((name) => [name, providerName(name)] as const),
  },
  state: { label: 'State', options: [['open', 'Open']] },
} as const;

/** What a person must settle. */
export const showCases = support.page({
  path: '/cases',
  needs: 'look',
  async handle({ services, query }) {
    const provider = allProviders.find((name) => name === query.get('provider'));
    const includeClosed = query.has('state') && query.get('state') !== 'open';
    const cases = await listCases(services.database, {
      provider,
      includeClosed,
      limit: SHOWN + 1,
    });
    const state = includeClosed ? '' : 'open';
    const title = includeClosed ? 'All cases' : 'Open cases';
    return {
      kind: 'page',
      title,
      content: html`<h1>${title}</h1>
<p>Where providers and our books differ, and a person decides who bears it.</p>
${filterForm({ action: CASES_PATH, all: `${CASES_PATH}?state=`, fields, values: { ...(provider && { provider }), ...(state && { state }) }, problems: {} })}
${cases.length === 0 ? emptyState('None', includeClosed ? 'There is no case.' : 'No case is open.') : listOf(cases)}`,
    };
  },
});

/** Whether a case is open, or who paid or got the amount. */
const caseBadge = ({ closedAt, closedBy, borneBy, amount }: Case): Html => {
  if (closedAt === null) return badge('warning', 'Open');
  if (closedBy === null) return badge('plain', 'Ended by itself');
  return badge('success', borneBy === null ? 'Settled' : settledWords(borneBy, amount));
};

const listOf = (cases: readonly Case[]): Html => html`<section class="card">
${table('Cases, open ones first', cases.slice(0, SHOWN), caseColumns)}
${cases.length > SHOWN && message('notice', `There are more than ${SHOWN}. Choose a provider to see the others.`)}</section>`;

/** The amount without its sign: the words of a case say who did too much or too little. */
const sizeOf = (amount: string): string => amount.replace('-', '');

/** What a list shows of a case. */
export const caseColumns: readonly TableColumn<Case>[] = [
  textColumn(
    'Case',
    (one) => html`<a href="${openCasePath(one.id)}">${one.id}: ${caseTitle(one)}</a>`,
    'head',
  ),
  textColumn('About', aboutOf, 'plain'),
  providerColumn,
  textColumn(
    'Partner',
    ({ partnerId, partner }) => companyLink('partner', partnerId, partner ?? '–'),
    'plain',
  ),
  timeColumn('Since', 'openedAt'),
  textColumn('State', caseBadge, 'plain'),
  amountColumn(({ amount }) => (parseMoney(amount) === 0n ? null : sizeOf(amount))),
];

/** One case: what is in suspense, what the providers say, and the form that settles it. */
export const showCase = support.page({
  path: '/cases/:id',
  needs: 'look',
  handle: (request) => openCasePage(request, idOf(request)),
});

/** The page of a case; `refused` where nothing came of its form. Its first part is enough to settle it. */
export async function openCasePage(
  request: StaffRequest,
  id: number,
  refused?: RefusedForm,
): Promise<PageAnswer> {
  const { database } = request.services;
  const read = await caseFacts(database, String(id));
  if (!read) return problems.notFound;
  const { found } = read;
  const title = `Case ${id}: ${caseTitle(found)}`;
  const placements = await placementsOfCase(database, found);
  const repairs = await listRepairs(database, { caseId: id, limit: SHOWN });
  const others = await otherCasesOf(database, found);
  const isOpen = found.closedAt === null;
  const shown = isOpen ? await shownChoicesOf(database, read) : undefined;
  // The form says what happened, and who can bear it: that is enough to choose, so all else is folded.
  const isChoice = shown?.question !== undefined;
  return {
    kind: 'page',
    title,
    status: refused && 409,
    content: html`<h1>${isChoice ? `Case ${id}` : title} ${caseBadge(found)}</h1>
${!isChoice && html`<div class="brief"><p>${aboutOf(found)}</p></div>`}
${refused && message('danger', html`${refused.words}`)}
${shown ? await settling(request, read, { shown, repairs, refused }) : settled(found, { repairs, placements })}
<section class="card"><details${!isChoice && html` open`}><summary>Background</summary>
${facts(factsOf(request, found, shown?.whyNoPayer))}
${placements.length > 0 && html`<h2>What the providers say</h2>${saidOf(placements)}`}
${repairs.length > 0 && html`<h2>Repairs</h2>${repairTable('Repairs of this case', repairs)}`}
${others.length > 0 && html`<h2>The same order</h2>${settledBefore(others.filter((one) => isBefore(one, found)))}${table('Other cases of this order', others, caseColumns)}`}</details></section>`,
  };
}

/** Who paid or got which amount, who must be told, and who settled the case. */
function settled(
  found: Case,
  {
    repairs,
    placements,
  }: { readonly repairs: readonly ShownRepair[]; readonly placements: readonly ShownPlacement[] },
): Html {
  const moved = repairs.find(({ state }) => state === 'DONE')?.result;
  const end = settledCase(found);
  const reference = firstDone(placements)?.providerReference;
  return html`<section class="card next">${moved && html`<p class="lead">${unbroken(moved)}</p>`}
${end && html`<p>${unbroken(whoToTell(end, reference))}</p>`}
${facts(endOf(found))}</section>`;
}

function factsOf(
  request: StaffRequest,
  found: Case,
  whyNoPayer: string | undefined,
): Readonly<Record<string, HtmlValue>> {
  const { id, amount, provider, reference, merchant, openedAt } = found;
  const { temporalTaskQueue } = request.services.settings.temporal;
  const size = parseMoney(amount);
  const contact = contactOf(request, provider);
  return {
    About: aboutOf(found),
    'What happened': caseTitle(found),
    ...(size !== 0n && { Amount: money(sizeOf(amount)) }),
    ...(whyNoPayer !== undefined && { 'Why the payer is no choice': whyNoPayer }),
    Provider: provider === null ? '–' : providerName(provider),
    ...(contact !== undefined && { 'Contact of the provider': contact }),
    'Our reference, to quote': reference === null ? '–' : html`<code>${reference}</code>`,
    ...(found.partner !== null && {
      Partner: companyLink('partner', found.partnerId, found.partner),
    }),
    ...(merchant !== null && { Merchant: companyLink('merchant', found.merchantId, merchant) }),
    Opened: time(openedAt),
    Workflow: workflowLink(request, caseId({ kind: 'case', id }, temporalTaskQueue)),
  };
}

/** Who settled the case and when, with the note. */
function endOf(found: Case): Readonly<Record<string, HtmlValue>> {
  const { closedAt, closedBy, closer, note } = found;
  if (closedAt === null) return {};
  if (closedBy === null) return { 'Ended by itself': time(closedAt) };
  return {
    Settled: html`${time(closedAt)} by ${closer}`,
    Note: note,
  };
}

function aboutOf(found: Case): HtmlValue {
  const { voucherId, topupId, reference } = found;
  const about = caseAbout(found);
  if (voucherId !== null)
    return html`<a href="${casePath({ kind: 'voucher', id: voucherId })}">${about}</a>`;
  if (topupId !== null)
    return html`<a href="${casePath({ kind: 'top-up', id: topupId })}">${about}</a>`;
  return html`${about}${reference !== null && html`, our reference <code>${reference}</code>`}`;
}

/** Each observation of each provider, in the order of time. */
function saidOf(placements: readonly ShownPlacement[]): Html {
  const happened = placements.flatMap((placement): Happening[] => {
    const { provider, kind, at, observations } = placement;
    const what = kind === 'reversal' ? 'reversal' : 'order';
    return [
      happening(at, html`${providerName(provider)} got the ${what}.`),
      ...observations.map((one) => happening(one.at, unbroken(saidWords(placement, one)))),
    ];
  });
  return story(happened);
}

/** No person ends these. */
const ENDS_BY_ITSELF: readonly Case['why'][] = ['unbooked', 'unread'];

/** The difference, and the form that settles it. A repair that has not ended stands in place of the form. */
async function settling(
  request: StaffRequest,
  read: CaseFacts,
  {
    shown,
    repairs,
    refused,
  }: {
    readonly shown: ShownChoices;
    readonly repairs: readonly ShownRepair[];
    readonly refused: RefusedForm | undefined;
  },
): Promise<Html> {
  const { found } = read;
  const says = unbroken(shown.happened ?? found.message ?? '');
  const open = nextOfOpenRepair(repairs);
  if (open)
    return html`<section class="card next">${says && html`<p class="lead">${says}</p>`}
<p>${open.happened} ${open.toDo}</p></section>`;
  return html`<section class="card next">${says && html`<p class="lead">${says}</p>`}
${shown.happened === undefined && html`<p>${caseAdvice(found.why)}</p>${contactOf(request, found.provider)}`}
${await settleForm(request, read, { shown, refused })}</section>`;
}

/** Whether a case ended before another one did; an open case has not ended yet. */
const isBefore = ({ closedAt }: Case, { closedAt: end }: Case): boolean =>
  closedAt !== null && (end === null || closedAt < end);

/** The cases that a person has settled, each with its end. */
export const settledBefore = (cases: readonly Case[]): Html | undefined => {
  const ends = cases.flatMap(({ id, borneBy, amount }) =>
    borneBy === null
      ? []
      : [
          html`<li>${linkToCase(id)} about ${money(sizeOf(amount))}: ${settledWords(borneBy, amount)}</li>`,
        ],
  );
  return ends.length === 0 ? undefined : html`<p>Settled before:</p><ul>${ends}</ul>`;
};

async function settleForm(
  request: StaffRequest,
  read: CaseFacts,
  { shown, refused }: { readonly shown: ShownChoices; readonly refused: RefusedForm | undefined },
): Promise<Html | undefined> {
  const { services, session } = request;
  const { found, order } = read;
  if (ENDS_BY_ITSELF.includes(found.why)) return undefined;
  if (!staffMay(request, needToAsk('case')))
    return message('notice', 'Your role may look: an operator settles it.');
  const subjectId = String(found.id);
  const second = await secondPersonFor(services, settleCaseRepair, {
    subject_id: subjectId,
    asked_by: actorOfPerson(session),
  });
  return repairForm(request, settleCaseRepair, {
    subject: subjectId,
    second,
    binding: bindingOfCase(read),
    button: second ? 'Ask a second person' : settleCaseRepair.button,
    isRefused: refused !== undefined,
    choices: {
      ...(shown.choices.length === 0 && { by: [] }),
      ...(!order?.isLost && { partner: [] }),
    },
    own: { by: bearerField(shown, request.form.text('by')) },
  });
}

/** Who bears the amount, each with what moves. No choice is made by the order. */
const bearerField = (
  { question, choices }: ShownChoices,
  chosen: string,
): Html => html`<fieldset><legend>${question && unbroken(question)}</legend>
${choices.map(
  ({ by, moves, afterwards, isBelowZero }) =>
    html`<label class="choice"><input type="radio" name="by" value="${by}" required${
      by === chosen && html` checked`
    }> <span>${unbroken(moves)}${isBelowZero && html` <strong class="error">${unbroken(afterwards)}</strong>`}</span></label>`,
)}</fieldset>`;
