import { caseId } from '../../../workflows/workflow-ids.ts';
import { type Case, listCases, otherCasesOf } from '../../db/positions/cases.ts';
import { type ShownPlacement, shownPlacementsOf } from '../../db/positions/placements.ts';
import { listRepairs } from '../../db/repairs/repair-lists.ts';
import { actorOfPerson } from '../../domain/access.ts';
import { parseMoney } from '../../domain/money.ts';
import { bearerNames, caseAdvice, caseTitle } from '../../domain/positions/case-texts.ts';
import { allProviders, providerName } from '../../domain/providers.ts';
import { mayAsStaff, needOfRepair } from '../../domain/staff.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import {
  type CaseFacts,
  caseFacts,
  settleCaseRepair,
  shownChoicesOf,
} from '../../repairs/payment-repairs.ts';
import { problems } from '../answers.ts';
import { filterForm } from '../layout/forms.ts';
import {
  amountText,
  badge,
  emptyState,
  facts,
  type Happening,
  message,
  money,
  story,
  type TableColumn,
  table,
  time,
} from '../layout/parts.ts';
import { idOf, type PageAnswer, type StaffRequest, support } from '../page.ts';
import { type RefusedForm, repairForm, secondPersonFor } from './repair-form.ts';
import {
  CASES_PATH,
  casePath,
  companyLink,
  openCasePath,
  repairTable,
  workflowLink,
} from './repair-parts.ts';
import { saidBy } from './stories.ts';

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
      ...{ provider, includeClosed, limit: SHOWN + 1 },
    });
    const state = includeClosed ? '' : 'open';
    const title = includeClosed ? 'All cases' : 'Open cases';
    return {
      kind: 'page',
      title,
      content: html`<h1>${title}</h1>
<p>Where providers and our books differ, and a person decides who bears it.</p>
${filterForm({ action: CASES_PATH, all: `${CASES_PATH}?state=`, fields, values: { ...(provider && { provider }), ...(state && { state }) }, problems: {} })}
${cases.length === 0 ? emptyState('No cases', 'The providers and the books agree.') : listOf(cases)}`,
    };
  },
});

/** Whether a case is open, and who bears it. */
const caseBadge = ({ closedAt, closedBy, borneBy }: Case): Html => {
  if (closedAt === null) return badge('warning', 'Open');
  if (closedBy === null) return badge('plain', 'Ended by itself');
  return badge('success', borneBy === null ? 'Settled' : `${bearerNames[borneBy]} bears it`);
};

const listOf = (cases: readonly Case[]): Html => html`<section class="card">
${table('Cases, open ones first', cases.slice(0, SHOWN), caseColumns)}
${cases.length > SHOWN && message('notice', `There are more than ${SHOWN}. Choose a provider to see the others.`)}</section>`;

/** What a list shows of a case. */
export const caseColumns: readonly TableColumn<Case>[] = [
  {
    title: 'Case',
    value: (one) => html`<a href="${openCasePath(one.id)}">${one.id}: ${caseTitle(one)}</a>`,
    phone: 'head',
  },
  {
    title: 'Provider',
    value: ({ provider }) => (provider === null ? '–' : providerName(provider)),
    phone: 'plain',
  },
  {
    title: 'Partner',
    value: ({ partnerId, partner }) => companyLink('partner', partnerId, partner ?? '–'),
    phone: 'plain',
  },
  { title: 'Since', value: ({ openedAt }) => time(openedAt), phone: 'plain' },
  { title: 'State', value: caseBadge, phone: 'plain' },
  {
    title: 'ETB',
    phone: 'figure etb',
    align: 'right',
    value: ({ amount: open }) => (parseMoney(open) === 0n ? '–' : amountText(open)),
  },
];

/** One case: what is in suspense, what the providers say, and the form that settles it. */
export const showCase = support.page({
  path: '/cases/:id',
  needs: 'look',
  handle: (request) => openCasePage(request, idOf(request)),
});

/** The page of a case; `refused` where nothing came of its form. */
export async function openCasePage(
  request: StaffRequest,
  id: number,
  refused?: RefusedForm,
): Promise<PageAnswer> {
  const { database } = request.services;
  const found = await caseFacts(database, String(id));
  if (!found) return problems.notFound;
  const { why, message: says, closedAt, subject, subjectKind } = found.found;
  const title = `Case ${id}: ${caseTitle(found.found)}`;
  const placements = subjectKind === 'order' ? await shownPlacementsOf(database, subject) : [];
  const repairs = await listRepairs(database, { caseId: id, limit: SHOWN });
  const others = await otherCasesOf(database, found.found);
  return {
    kind: 'page',
    title,
    status: refused && 409,
    content: html`<p><a href="${CASES_PATH}">Open cases</a></p>
<h1>${title} ${caseBadge(found.found)}</h1>
${says !== null && html`<p>${says}</p>`}
${closedAt === null && message('notice', html`<div><strong>What to do next</strong><br>${caseAdvice(why)}</div>`)}
${refused && message('danger', html`${refused.words}`)}
<section class="card">${facts(factsOf(request, found.found))}</section>
${repairs.length > 0 && html`<section class="card"><h2>Repairs</h2>${repairTable('Repairs of this case', repairs)}</section>`}
${others.length > 0 && html`<section class="card"><h2>The same order</h2>${table('Other cases of this order', others, caseColumns)}</section>`}
${placements.length > 0 && html`<section class="card"><h2>What the providers say</h2>${saidOf(placements)}</section>`}
${closedAt === null && (await settling(request, found, refused))}`,
  };
}

function factsOf(request: StaffRequest, found: Case): Readonly<Record<string, HtmlValue>> {
  const { id, amount, provider, reference, partner, merchant, openedAt, closedAt } = found;
  const { temporalTaskQueue } = request.services.settings.temporal;
  const size = parseMoney(amount);
  return {
    ...(size !== 0n && { Amount: money(amount.replace('-', '')) }),
    Provider: provider === null ? '–' : providerName(provider),
    'Our reference, to quote': reference === null ? '–' : html`<code>${reference}</code>`,
    'Voucher or top-up': aboutOf(found),
    ...(partner !== null && { Partner: companyLink('partner', found.partnerId, partner) }),
    ...(merchant !== null && { Merchant: companyLink('merchant', found.merchantId, merchant) }),
    Opened: time(openedAt),
    ...(closedAt !== null && endOf(found, closedAt)),
    Workflow: workflowLink(request, caseId({ kind: 'case', id }, temporalTaskQueue)),
  };
}

/** Who bears the amount, who settled the case and when, with the note. */
function endOf(found: Case, closedAt: Date): Readonly<Record<string, HtmlValue>> {
  const { closedBy, closer, borneBy, partner, voucherId, note } = found;
  if (closedBy === null) return { 'Ended by itself': time(closedAt) };
  const names = {
    payer: voucherId === null ? null : 'the voucher',
    partner,
    platform: 'our service fees',
    provider: found.provider && providerName(found.provider),
  } as const;
  const name = borneBy && names[borneBy];
  return {
    ...(borneBy && { 'Borne by': `${bearerNames[borneBy]}${name === null ? '' : `: ${name}`}` }),
    Settled: html`${time(closedAt)} by ${closer}`,
    Note: note,
  };
}

function aboutOf({ voucherId, serialNumber, topupId, subjectKind }: Case): HtmlValue {
  if (voucherId !== null)
    return html`<a href="${casePath({ kind: 'voucher', id: voucherId })}">Voucher ${serialNumber}</a>`;
  if (topupId !== null)
    return html`<a href="${casePath({ kind: 'top-up', id: topupId })}">Top-up ${topupId}</a>`;
  return subjectKind === 'order' ? 'Lost by a restore' : 'None of ours';
}

/** Each observation of each provider, in the order of time. */
function saidOf(placements: readonly ShownPlacement[]): Html {
  const happened = placements.flatMap(({ provider, kind, at, observations }): Happening[] => {
    const what = kind === 'reversal' ? 'reversal' : 'order';
    return [
      { at: new Date(at), what: html`${providerName(provider)} got the ${what}.` },
      ...observations.map((one) => ({ at: new Date(one.at), what: saidBy(provider, one) })),
    ];
  });
  return story(happened, () => undefined);
}

/** No person ends these. */
const ENDS_BY_ITSELF: readonly Case['why'][] = ['unbooked', 'unread'];

async function settling(
  request: StaffRequest,
  found: CaseFacts,
  refused: RefusedForm | undefined,
): Promise<Html> {
  const { services, session } = request;
  const { id, why } = found.found;
  if (ENDS_BY_ITSELF.includes(why))
    return emptyState('Nothing to settle here', 'The case ends when its cause is gone.');
  if (!mayAsStaff(session.staff.role, needOfRepair('case')))
    return message('notice', 'Your role may look: an operator settles it.');
  const subjectId = String(id);
  const { choices, whyNoPayer } = await shownChoicesOf(services.database, found);
  const isLost = found.order?.isLost ?? false;
  const second = await secondPersonFor(services, settleCaseRepair, {
    subject_id: subjectId,
    asked_by: actorOfPerson(session),
  });
  return html`<section class="card"><h2>Settle it</h2>
${
  choices.length === 0
    ? html`<p>No money is moved.</p>`
    : table('What each choice moves', choices, [
        { title: 'Who bears it', value: ({ by }) => by, phone: 'head' },
        { title: 'What moves', value: ({ moves }) => moves, phone: 'plain' },
        {
          title: 'Afterwards',
          value: ({ afterwards, isBelowZero }) =>
            html`${afterwards} ${isBelowZero && badge('danger', 'Below zero')}`,
          phone: 'plain',
        },
      ])
}
${whyNoPayer && html`<p>There is no choice “payer”. ${whyNoPayer}</p>`}
${repairForm(request, settleCaseRepair, {
  ...{ key: subjectId, subject: subjectId, button: settleCaseRepair.button },
  values: refused?.values,
  second,
  choices: { by: choices.map(({ by }) => by), ...(!isLost && { partner: [] }) },
  needed: ['by'],
})}</section>`;
}
