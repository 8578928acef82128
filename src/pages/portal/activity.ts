import { isDeepStrictEqual } from 'node:util';
import { listAccessChanges, listCalls, listRefusedCalls } from '../../db/access/calls.ts';
import { accessChangeOf, actorName, changedSubject, idDetails } from '../../domain/access.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { type HtmlValue, html } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { shortRoute } from '../layout/labels.ts';
import { DOWNLOAD_ROWS, emptyState, table, textColumn, timeColumn } from '../layout/parts.ts';
import {
  type AccountRequest,
  type PageAnswer,
  PORTAL_PATH,
  type PortalPage,
  portal,
} from '../page.ts';
import { csvFile, type FileColumns } from './lists.ts';
import { callTable, refusalOf } from './try-it.ts';

const SHOWN = 50;

type Entry = Awaited<ReturnType<typeof listAccessChanges>>[number];

const detail = ({ details }: Entry, name: string): string => {
  const value = details[name];
  return typeof value === 'string' ? value : '';
};

/** The label of a change, with its subject. */
function labelOf(entry: Entry): HtmlValue {
  const change = accessChangeOf(entry.action);
  if (change === undefined) return undefined;
  const { text, of } = change;
  const subject = changedSubject(change, entry.details);
  switch (of) {
    case 'key':
      return html`${text} <strong>${detail(entry, 'name')}</strong> <code>${detail(entry, 'prefix')}…</code>`;
    case 'webhook':
      return html`${text} <code>${detail(entry, 'url')}</code>`;
    case 'address':
    case 'public-key':
      return html`${text} <code>${subject}</code>`;
    case 'voucher':
    case 'top-up':
    case 'bulk-order':
      return html`${text} <a href="${PORTAL_PATH}/${of}s/${String(entry.details[idDetails[of]])}">${subject}</a>`;
    case 'company':
      return text;
    default:
      return html`${text} ${subject}`;
  }
}

const ACTIVITY_PATH = `${PORTAL_PATH}/activity`;

/** Changes of the company's access, and refused calls. */
export const showActivity = portal.page({
  path: '/activity',
  title: 'Activity',
  needs: 'develop',
  async handle({ services, session }) {
    const { company } = session;
    const entries = await listAccessChanges(services.database, company, SHOWN);
    const refused = await listRefusedCalls(services.database, { company, limit: SHOWN });
    return html`<h1>Activity</h1>
<p>The newest ${SHOWN} of each; files have up to ${DOWNLOAD_ROWS.toLocaleString('en')}. If something here was not you, revoke the key, change your password and
contact support.</p>
<section class="card"><h2>Changes and sign-ins</h2>
${table(
  'Changes and sign-ins',
  folded(entries),
  [
    timeColumn('When', 'at'),
    textColumn('Who', ({ actor }) => actorName(actor), 'plain'),
    textColumn(
      'What',
      (entry) => html`${labelOf(entry)}${entry.times > 1 && `, ${entry.times} times`}`,
      'head',
    ),
    textColumn('From', (entry) => html`<code>${detail(entry, 'sourceAddress')}</code>`, 'plain'),
  ],
  emptyState('Nothing yet', 'Changes of keys, addresses and accounts appear here.'),
)}
<p><a href="${ACTIVITY_PATH}/changes">Download as CSV<span class="visually-hidden"> (changes)</span></a></p>
</section>
<section class="card"><h2>Refused calls</h2>
<p><a href="${PORTAL_PATH}/try-it">Try it</a> shows your last calls, those that were let in, too.</p>
${callTable(
  'Refused calls',
  refused,
  textColumn('Why', refusalOf),
  emptyState('None', 'Refused calls of the API appear here.'),
)}
<p><a href="${ACTIVITY_PATH}/calls">Download all calls as CSV</a></p></section>`;
  },
});

/** A file of the newest rows that a company has of something. */
const activityFile = <Row>(file: {
  readonly name: 'changes' | 'calls';
  readonly read: (
    database: AccountRequest['services']['database'],
    company: Company,
    limit: number,
  ) => Promise<readonly Row[]>;
  readonly columns: FileColumns<Row>;
}): PortalPage =>
  portal.page({
    path: `/activity/${file.name}`,
    needs: 'develop',
    async handle({ services, session: { company } }): Promise<PageAnswer> {
      const rows = await services.lists.read(company, (database) =>
        file.read(database, company, DOWNLOAD_ROWS),
      );
      if (!rows) return problems.busy;
      return csvFile(file.name, rows, file.columns);
    },
  });

/** The subject of an entry in plain text. */
function subjectOf({ action, details }: Entry): string {
  const change = accessChangeOf(action);
  return change === undefined ? '' : changedSubject(change, details);
}

/** Changes and sign-ins as a file, newest first. */
export const downloadChanges = activityFile({
  name: 'changes',
  read: listAccessChanges,
  columns: {
    When: 'at',
    Who: ({ actor }) => actorName(actor),
    What: ({ action }) => accessChangeOf(action)?.text ?? '',
    Subject: subjectOf,
    From: (entry) => detail(entry, 'sourceAddress'),
  },
});

/** The calls that are kept, let in or refused, as a file, newest first. */
export const downloadCalls = activityFile({
  name: 'calls',
  read: listCalls,
  columns: {
    When: 'at',
    Call: (call) => `${call.method} ${shortRoute(call)}`,
    Outcome: ({ admitted }) => (admitted ? 'Let in' : 'Refused'),
    'Status code': 'statusCode',
    'Reason of the refusal': 'reason',
    Detail: 'detail',
    'Further calls like it': 'leftOut',
    From: 'sourceAddress',
    Key: 'keyPrefix',
    'Request id': 'requestId',
  },
});

const FOLDED = ['sign in', 'fail sign-in'];

/** Consecutive sign-ins, and those that failed alike, become one line with their number. */
function folded(entries: readonly Entry[]): (Entry & { times: number })[] {
  const lines: (Entry & { times: number })[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    const isAgain =
      last !== undefined &&
      FOLDED.includes(entry.action) &&
      entry.action === last.action &&
      entry.actor === last.actor &&
      isDeepStrictEqual(entry.details, last.details);
    if (isAgain) last.times += 1;
    else lines.push({ ...entry, times: 1 });
  }
  return lines;
}
