import type { Digests } from '../../crypto/digests.ts';
import { addAuditEntries } from '../../db/access/calls.ts';
import type { Database } from '../../db/connection.ts';
import {
  type FoundCase,
  type FoundCases,
  type FoundRecord,
  findCases,
  findRecords,
} from '../../db/support-search.ts';
import type { SiteAddresses } from '../../docs-site/markdown.ts';
import { actorOfPerson } from '../../domain/access.ts';
import { caseTitles } from '../../domain/positions/case-texts.ts';
import { type RepairState, repairStateWords } from '../../domain/repairs.ts';
import { auditedTerm, LONGEST_SEARCH, readSearchTerm, readWorkflowId } from '../../domain/staff.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import { findRepairKind } from '../../repairs/repair-kinds.ts';
import { workflowPage } from '../../runtime/process/temporal-ui.ts';
import { problems } from '../answers.ts';
import { topupStates, voucherStates } from '../layout/labels.ts';
import {
  amountColumn,
  badge,
  emptyState,
  field,
  message,
  money,
  postForm,
  type ShownState,
  table,
  textColumn,
  time,
  timeColumn,
} from '../layout/parts.ts';
import { type PageAnswer, redirect, type StaffRequest, SUPPORT_PATH, support } from '../page.ts';
import { complaints, renderComplaint } from './guide.ts';
import {
  casePath,
  companyLink,
  companyPath,
  depositPath,
  openCasePath,
  repairPath,
  termsPath,
} from './repair-parts.ts';

const SHOWN = 20;

/** The result of a search. */
export interface SearchResult extends FoundCases {
  /** Further results, newest first. */
  readonly records: readonly FoundRecord[];
  /** The workflow of this id is about no single voucher or top-up: what it does. */
  readonly workflow: { readonly id: string; readonly about: string } | undefined;
}

/** Finds cases by whatever text a customer has given, and records in the audit log who looked for what. */
export async function searchCases(
  { database, digests }: { readonly database: Database; readonly digests: Digests },
  text: string,
  asked: { readonly actor: string; readonly details?: Readonly<Record<string, unknown>> },
): Promise<SearchResult> {
  const term = readSearchTerm(text);
  const { msisdn, voucherCode, about, ...plain } = term ?? {};
  const searched = {
    ...plain,
    ...(msisdn !== undefined && { numberHash: digests.numberHash(msisdn) }),
    ...(voucherCode !== undefined && { codeDigests: digests.stored.voucherCode(voucherCode) }),
  };
  const { more, cases } = await findCases(database, searched, SHOWN);
  const named = await findRecords(database, searched);
  // The request of an operation is shown where it left nothing else.
  const left = named.filter(({ kind }) => kind !== 'operation');
  const isFound = cases.length + left.length > 0;
  const records = (isFound ? left : named).map(inWords);
  const found = cases.length + more + records.length;
  await database.transaction().execute((transaction) =>
    addAuditEntries(transaction, [
      {
        actor: asked.actor,
        action: 'find case',
        subjectKind: 'search',
        subjectId: 0,
        details: {
          ...auditedTerm(term, digests.numberHash, found > 0),
          found,
          ...asked.details,
        },
      },
    ]),
  );
  const workflow = about === undefined || isFound ? undefined : { id: text.trim(), about };
  return { cases, more, records, workflow };
}

/** The state of a record in words, where its row has names of the code. */
function inWords(record: FoundRecord): FoundRecord {
  const [name = '', state = ''] = record.state.split(': ');
  switch (record.kind) {
    case 'repair':
      return {
        ...record,
        state: `${findRepairKind(name)?.title ?? name}: ${repairStateWords[state as RepairState] ?? state}`,
      };
    case 'case':
      return {
        ...record,
        state: `${caseTitles[name as keyof typeof caseTitles] ?? name}: ${state}`,
      };
    case 'operation':
    case 'bulk line':
      return { ...record, state: record.state.toLowerCase().replaceAll('-', ' ') };
    default:
      return record;
  }
}

const FIND_PATH = `${SUPPORT_PATH}/find`;

/** Answers with the page of what the search finds, where that is one. By POST, so that no address has a number. */
export const findPages = support.shown({
  path: '/find',
  needs: 'look',
  back: () => redirect(SUPPORT_PATH),
  async handle(request) {
    const { services, session, sourceAddress, form } = request;
    const text = form.text('what').slice(0, LONGEST_SEARCH);
    const result = await searchCases(services, text, {
      actor: actorOfPerson(session),
      details: { sourceAddress },
    });
    return foundPage(request, text, result);
  },
});

/** The workflows whose page is known by the number in their id; the search finds the pages of others. */
const numbered: readonly (readonly [id: RegExp, pathOf: (id: number) => string])[] = [
  [/^repair:([0-9]{1,15}):[0-9a-f]+$/, repairPath],
  [/^case:[^:]+:([0-9]{1,15})$/, openCasePath],
  [/^case:due-vouchers:[^:]+:([0-9]{1,15})$/, (id) => companyPath({ kind: 'partner', id })],
  [/^check-payout-account:[^:]+:([0-9]{1,15})$/, termsPath],
];

/** Leads from a workflow in the Temporal UI to the page of its case. */
export const showWorkflow = support.page({
  path: '/workflows/:id',
  needs: 'look',
  async handle(request) {
    const { services, session, sourceAddress, params } = request;
    const { id = '' } = params;
    if (readWorkflowId(id) === undefined) return problems.notFound;
    for (const [pattern, pathOfNumber] of numbered) {
      const [, number] = pattern.exec(id) ?? [];
      if (number !== undefined) return redirect(pathOfNumber(Number(number)));
    }
    const result = await searchCases(services, id, {
      actor: actorOfPerson(session),
      details: { sourceAddress },
    });
    return foundPage(request, id, result);
  },
});

/** The one field of the search; it has the focus. */
export const searchCard = (request: StaffRequest, searched = ''): Html =>
  html`<section class="card">${postForm(
    request,
    FIND_PATH,
    html`${field({
      name: 'what',
      label: 'Number, code, reference, name or e-mail',
      value: searched,
      hasFocus: true,
    })}
<button>Find</button>`,
  )}</section>`;

/** The page of the findings. A single one opens. */
function foundPage(request: StaffRequest, text: string, result: SearchResult): PageAnswer {
  const [only, ...others] = [...result.cases.map(casePath), ...result.records.map(pathOf)];
  if (only !== undefined && others.length + result.more === 0) return redirect(only);
  return {
    kind: 'page',
    title: 'Found',
    content: html`<h1>Found</h1>
${searchCard(request, text)}
${results(request.services, result)}`,
  };
}

/** The guide of each complaint, next to the field that it begins with. */
export const saidByCustomers = (addresses: SiteAddresses): Html =>
  html`<section class="card"><h2>What the customer says</h2>
${complaints.map(
  (one) => html`<details><summary>${one.title}</summary>
${renderComplaint(one, addresses)}</details>`,
)}</section>`;

function results(services: StaffRequest['services'], result: SearchResult): Html {
  const { cases, records } = result;
  if (cases.length + records.length === 0) return nothing(services, result);
  return html`${cases.length > 0 && listOfCases(result)}
${records.length > 0 && listOfRecords(records)}`;
}

function nothing({ settings }: StaffRequest['services'], { workflow }: SearchResult): Html {
  if (workflow === undefined)
    return emptyState(
      'Nothing found',
      'Check it with the customer: a serial number has 18 digits, a code 16 characters. Or look for something else of the case, such as the number.',
    );
  const page = workflowPage(settings.temporal, workflow.id);
  return emptyState(
    'No voucher and no top-up',
    html`${workflow.about}${page && html` <a href="${page}" target="_blank" rel="noreferrer">Workflow</a>`}`,
  );
}

const listOfCases = ({ cases, more }: SearchResult): Html =>
  html`<section class="card"><h2>Newest first</h2>
${table('Cases', cases, [
  textColumn(
    'Case',
    (one) =>
      html`<a href="${casePath(one)}">${one.kind === 'voucher' ? 'Voucher' : 'Top-up'} ${one.name}</a>`,
    'head',
  ),
  timeColumn('When', 'at'),
  textColumn('State', stateOf, 'plain'),
  textColumn('Number', ({ maskedNumber }) => maskedNumber ?? 'Anonymous', 'plain'),
  textColumn('Partner', 'partner', 'plain'),
  amountColumn(({ amount }) => amount),
])}
${more > 0 && message('notice', html`${more} more. Look for a serial number or a reference to find an older one.`)}</section>`;

const listOfRecords = (records: readonly FoundRecord[]): Html =>
  html`<section class="card"><h2>Also found</h2>
${table('Other records', records, [
  textColumn('What', nameOf, 'head'),
  timeColumn('When', 'at'),
  textColumn('State', 'state', 'plain'),
  textColumn('Company', companyOf, 'plain'),
  amountColumn(({ amount }) => amount),
])}</section>`;

function nameOf(record: FoundRecord): Html {
  const path = pathOf(record);
  const words = html`${record.kind} ${record.name}`;
  return path === undefined ? words : html`<a href="${path}">${words}</a>`;
}

/** The page of a record; undefined where it has none. */
function pathOf({
  kind,
  name,
  companyKind,
  companyId,
  accountId,
}: FoundRecord): string | undefined {
  if (kind === 'repair') return repairPath(Number(name));
  if (kind === 'case') return openCasePath(Number(name));
  if (companyKind === null || companyId === null) return;
  const path = companyPath({ kind: companyKind, id: companyId });
  if (kind === 'partner' || kind === 'merchant') return path;
  if (kind === 'deposit') return depositPath(companyId, name);
  if (kind === 'goodwill') return `${path}/money`;
  return kind === 'person' ? `${path}/people/${accountId}` : undefined;
}

const companyOf = ({ kind, companyKind, companyId, company }: FoundRecord): HtmlValue =>
  companyKind === null
    ? kind === 'person'
      ? 'This service'
      : '–'
    : companyLink(companyKind, companyId, company ?? `${companyKind} ${companyId}`);

const states: Readonly<Record<string, ShownState>> = {
  ...voucherStates,
  ...topupStates,
};

function stateOf({ status, left, expiresAt }: FoundCase): Html {
  return html`${badge(...(states[status] ?? (['plain', status] as const)))}${left !== null && html` ${money(left)} left`}${
    expiresAt && html`, valid until ${time(expiresAt)}`
  }`;
}
