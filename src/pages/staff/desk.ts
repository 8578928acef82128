import { addPersonEntry } from '../../db/access/calls.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  type DeskItem,
  deskList,
  isDeskItemOf,
  leaveDeskItem,
  takeDeskItem,
} from '../../db/lists/desk.ts';
import type { RowOf } from '../../db/lists/list.ts';
import { type Condition, type ListQuery, readListPage } from '../../db/lists/list-page.ts';
import { caseTitles } from '../../domain/positions/case-texts.ts';
import { providerName } from '../../domain/providers.ts';
import { quoted } from '../../domain/refusals.ts';
import { type DeskKind, deskKinds } from '../../domain/staff.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import { findRepairKind } from '../../repairs/repair-kinds.ts';
import { filterForm } from '../layout/forms.ts';
import { listAddress, pageNumber, paging } from '../layout/paging.ts';
import { amountColumn, emptyState, postForm, table, textColumn, time } from '../layout/parts.ts';
import { type PageAnswer, redirect, type StaffRequest, SUPPORT_PATH, support } from '../page.ts';
import { saidByCustomers, searchCard } from './find.ts';
import { casePath, companyLink, companyPath, openCasePath, repairPath } from './repair-parts.ts';

type Item = RowOf<typeof deskList>;

const SHOWN = 20;
const REFRESH_SECONDS = 60;
const LONGEST_NAME = 100;

const fields = {
  kind: { label: 'Kind', options: Object.entries(deskKinds) },
  company: { label: 'Company' },
  who: {
    label: 'Assigned to',
    options: [
      ['me', 'Me'],
      ['nobody', 'Nobody'],
    ],
  },
} as const;

/** The first page: the search, and below it the queue of everything that waits for a person. */
export const showDesk = support.page({
  path: '',
  refreshes: true,
  needs: 'look',
  async handle(request): Promise<PageAnswer> {
    return {
      kind: 'page',
      title: 'Support desk',
      refreshSeconds: REFRESH_SECONDS,
      keepsTyping: true,
      content: html`<h1>Support desk</h1>
${searchCard(request)}
${await queue(request)}
${saidByCustomers(request.services.settings.http)}`,
    };
  },
});

/** The filters of a request, without those that are none. */
function readFilters({ query }: Pick<StaffRequest, 'query'>): Readonly<Record<string, string>> {
  const kind = query.get('kind') ?? '';
  const who = query.get('who') ?? '';
  const company = (query.get('company') ?? '').trim().slice(0, LONGEST_NAME);
  return {
    ...(Object.hasOwn(deskKinds, kind) && { kind }),
    ...(company !== '' && { company }),
    ...((who === 'me' || who === 'nobody') && { who }),
  };
}

const where = (
  column: string,
  operator: Condition['operator'],
  ...values: readonly string[]
): Condition => ({ column, operator, isNegated: false, values });

/** A page of the rows of the queue. */
const readQueue = (
  { services }: StaffRequest,
  query: Omit<ListQuery, 'limit' | 'sortBy' | 'isCountBounded'>,
) =>
  readListPage(services.database, deskList, 0, {
    ...query,
    limit: SHOWN,
    sortBy: deskList.sortBy,
    isCountBounded: true,
  });

/** A page of the queue; the first where the asked one has no rows, or has them no more. */
async function queue(request: StaffRequest, page = pageNumber(request.query) ?? 1): Promise<Html> {
  const values = readFilters(request);
  const { kind, company, who } = values;
  const { id } = request.session.staff;
  const { items, totalItems } = await readQueue(request, {
    page,
    conditions: [
      ...(kind === undefined ? [] : [where('kind', 'eq', kind)]),
      ...(who === 'me' ? [where('assigneeId', 'eq', String(id))] : []),
      ...(who === 'nobody' ? [where('assigneeId', 'null')] : []),
    ],
    ...(company !== undefined && { search: { text: company, columns: ['partner', 'merchant'] } }),
    isUsual: Object.keys(values).length === 0,
  });
  if (items.length === 0 && page > 1) return queue(request, 1);
  return html`<section class="card" id="queue"><h2>Waiting for us</h2>
<details${Object.keys(values).length > 0 && html` open`}><summary>Filter</summary>
${filterForm({ action: SUPPORT_PATH, fields, values, problems: {} })}</details>
${items.length === 0 ? nothingWaits(values) : listOf(request, items)}
${totalItems > SHOWN && paging({ path: SUPPORT_PATH, values, page, limit: SHOWN, totalItems })}</section>`;
}

/** The rows of the queue about a company, on its page. */
export async function waitingOf(
  request: StaffRequest,
  { kind, id }: Company,
): Promise<Html | false> {
  const column = kind === 'partner' ? 'partnerId' : 'merchantId';
  const { items } = await readQueue(request, {
    page: 1,
    conditions: [where(column, 'eq', String(id))],
    isUsual: false,
  });
  return (
    items.length > 0 &&
    html`<section class="card"><h2>Waiting for us</h2>${table('What waits', items, [nameColumn, aboutColumn, sinceColumn])}</section>`
  );
}

const nothingWaits = (values: Readonly<Record<string, string>>): Html =>
  Object.keys(values).length === 0
    ? emptyState('Nothing waits', 'Whatever needs a person appears here by itself.')
    : emptyState('No matches', 'Nothing that waits matches the filters.');

const nameColumn = textColumn('What', nameOf, 'head');
const aboutColumn = textColumn('About', aboutOf, 'plain');
const sinceColumn = textColumn(
  'Since',
  ({ since }: Item) => (since === null ? '–' : sinceText(since)),
  'plain',
);

const listOf = (request: StaffRequest, items: readonly Item[]): Html =>
  table('What waits, the most urgent first', items, [
    nameColumn,
    aboutColumn,
    textColumn('Company', companiesOf, 'plain'),
    sinceColumn,
    amountColumn(({ amount }) => amount),
    textColumn('Assigned to', (item) => assignment(request, item), 'plain'),
  ]);

/** The kind, with a link to the page on which it is dealt with. */
function nameOf(item: Item): Html {
  const { kind, subject } = item;
  const title = kind === 'case' ? `Case ${subject}` : deskKinds[kind];
  const path = pathOf(item);
  return path === undefined ? html`${title}` : html`<a href="${path}">${title}</a>`;
}

function pathOf({
  kind,
  subject,
  voucherId,
  topupId,
  partnerId,
  merchantId,
}: Item): string | undefined {
  if (kind === 'case') return openCasePath(Number(subject));
  if (kind === 'repair') return repairPath(Number(subject));
  if (voucherId !== null) return casePath({ kind: 'voucher', id: voucherId });
  if (topupId !== null) return casePath({ kind: 'top-up', id: topupId });
  const company =
    partnerId !== null
      ? companyPath({ kind: 'partner', id: partnerId })
      : merchantId !== null && companyPath({ kind: 'merchant', id: merchantId });
  return company ? `${company}${ofCompany[kind] ?? ''}` : undefined;
}

/** Below the page of a company: where a row about no voucher and no top-up is dealt with. */
const ofCompany: Partial<Readonly<Record<DeskKind, string>>> = {
  'low-wallet': '/money',
  'failing-webhook': '/webhooks',
};

/** The subject, and what is known of it: words of a provider or of the service, in one line. */
function aboutOf(item: Item): Html {
  const { kind, serialNumber, topupId, reference, provider } = item;
  const detail = detailOf[kind](item);
  const order = serialNumber
    ? `voucher ${serialNumber}`
    : topupId === null
      ? reference &&
        html`${kind === 'repair' ? 'deposit' : 'our reference'} <code>${reference}</code>`
      : `top-up ${topupId}`;
  // The page of a case begins with its provider.
  const parts =
    kind === 'case' ? [detail, order] : [order, provider && providerName(provider), detail];
  const known = parts.filter((part) => part);
  return known.length === 0
    ? html`–`
    : html`${known.map((part, place) => html`${place > 0 && ' · '}${part}`)}`;
}

const ofProvider = ({ detail }: Item): string | null => detail && quoted(detail);

const detailOf: Readonly<Record<DeskKind, (item: Item) => string | null>> = {
  'undelivered-code': ofProvider,
  unknown: ({ subject, detail }) => {
    const kind = subject.replace(/ \d+$/, '');
    return detail ? `${kind}: ${quoted(detail)}` : kind;
  },
  repair: ({ detail }) => findRepairKind(detail ?? '')?.title ?? detail,
  'refused-payment': ofProvider,
  case: ({ detail }) => caseTitles[detail as keyof typeof caseTitles],
  'low-wallet': ({ detail }) => `${detail} wallet`,
  'failing-webhook': ({ subject, detail }) => `webhook ${subject} ${detail}`,
  'late-statement': ({ subject, detail }) =>
    [subject.split(' ').at(-1), detail && quoted(detail)].join(': '),
};

function companiesOf({ partnerId, partner, merchantId, merchant }: Item): HtmlValue {
  const links = [
    partner !== null && companyLink('partner', partnerId, partner),
    merchant !== null && companyLink('merchant', merchantId, merchant),
  ].filter((link) => link !== false);
  return links.length === 0 ? '–' : html`${links[0]}${links.length > 1 && html`, ${links[1]}`}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Its age; with its day, once that is not today. */
const sinceText = (since: Date): Html =>
  html`${ageText(since)}${Date.now() - since.getTime() >= DAY_MS && html`, ${time(since)}`}`;

/** How long something waits, in its greatest unit, which stays on one line. */
function ageText(since: Date): string {
  const age = Date.now() - since.getTime();
  if (age >= 2 * DAY_MS) return `${Math.floor(age / DAY_MS)}\u00a0days`;
  if (age >= 2 * HOUR_MS) return `${Math.floor(age / HOUR_MS)}\u00a0hours`;
  return `${Math.max(0, Math.floor(age / MINUTE_MS))}\u00a0min`;
}

/** The person who deals with it, and the button that changes that. */
function assignment(request: StaffRequest, item: Item): Html {
  const { kind, subject, assigneeId, assignee } = item;
  const isOwn = assigneeId === request.session.staff.id;
  const [path, label] = isOwn
    ? (['leave', 'Release'] as const)
    : (['take', assigneeId === null ? 'Assign to me' : 'Take over'] as const);
  return html`${assignee} ${postForm(
    request,
    `${SUPPORT_PATH}/desk/${path}`,
    html`<input type="hidden" name="kind" value="${kind}">
<input type="hidden" name="query" value="${request.query.toString()}">
<input type="hidden" name="subject" value="${subject}">
<input type="hidden" name="assignee" value="${assigneeId ?? ''}">
<button class="plain">${label}</button>`,
    'actions',
  )}`;
}

/** The desk as it was where a form was sent from: its filters and its page. */
function deskPath(query: URLSearchParams): string {
  const page = pageNumber(query) ?? 1;
  return listAddress(SUPPORT_PATH, {
    ...readFilters({ query }),
    page: page > 1 ? String(page) : '',
  });
}

/** A change of who deals with something in the queue. */
interface Assignment {
  readonly path: string;
  /** As the audit log names it. */
  readonly action: string;
  readonly change: (
    transaction: DatabaseTransaction,
    item: DeskItem,
    people: { readonly accountId: number; readonly insteadOf: number | undefined },
  ) => Promise<boolean>;
  /** The person who deals with it afterwards; null where it is free. */
  readonly assigneeOf: (accountId: number) => number | null;
}

/** A form that changes who deals with something, and writes it down; sent twice, it has one effect and one entry. */
const assignmentForm = ({ path, action, change, assigneeOf }: Assignment) =>
  support.form({
    path,
    needs: 'look',
    confirmation: 'none',
    async handle({ services, session, form, sourceAddress }) {
      const item = { kind: form.text('kind'), subject: form.text('subject') };
      const assignee = form.text('assignee');
      const people = {
        accountId: session.staff.id,
        insteadOf: /^[1-9][0-9]{0,14}$/.test(assignee) ? Number(assignee) : undefined,
      };
      const isChanged = await services.database.transaction().execute(async (transaction) => {
        if (!(await change(transaction, item, people))) return false;
        const details = { ...item, insteadOf: people.insteadOf, sourceAddress };
        const subject = { kind: 'desk', id: people.accountId };
        await addPersonEntry(transaction, session, action, details, subject);
        return true;
      });
      const isDone =
        isChanged || (await isDeskItemOf(services.database, item, assigneeOf(people.accountId)));
      return redirect(
        deskPath(new URLSearchParams(form.text('query'))),
        isDone ? undefined : 'It waits no more, or somebody else deals with it.',
      );
    },
  });

/** Assigns something to the person, who may take it over from somebody else. */
export const takeItemForm = assignmentForm({
  path: '/desk/take',
  action: 'assign',
  change: takeDeskItem,
  assigneeOf: (accountId) => accountId,
});

/** Gives something back. */
export const leaveItemForm = assignmentForm({
  path: '/desk/leave',
  action: 'release',
  change: (transaction, item, { accountId }) => leaveDeskItem(transaction, item, accountId),
  assigneeOf: () => null,
});
