import { type Case, listCases } from '../../../db/positions/cases.ts';
import { parseMoney } from '../../../domain/money.ts';
import { caseTitle } from '../../../domain/positions/words.ts';
import { allProviders } from '../../../domain/providers/routes.ts';
import { filterForm } from '../../../portal/layout/filter-form.ts';
import { amount } from '../../../portal/layout/money.ts';
import { badge, emptyState, message, table, time } from '../../../portal/layout/parts.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { CASES_PATH, openCasePath } from '../../case-path.ts';
import type { StaffPage } from '../../page.ts';

const SHOWN = 200;

const fields = {
  provider: { label: 'Provider', options: allProviders.map((name) => [name, name] as const) },
  state: { label: 'State', options: [['open', 'Open']] },
} as const;

/** What a person must settle. */
export const showCases: StaffPage = {
  method: 'GET',
  path: '/cases',
  access: 'staff',
  needs: 'look',
  async handle({ services, query }) {
    const provider = allProviders.find((name) => name === query.get('provider'));
    const includeClosed = query.has('state') && query.get('state') !== 'open';
    const cases = await listCases(services.database, {
      ...{ provider, includeClosed, limit: SHOWN + 1 },
    });
    const state = includeClosed ? '' : 'open';
    return {
      kind: 'page',
      title: 'Open cases',
      content: html`<h1>Open cases</h1>
<p>Where providers and our books differ, and a person decides who bears it.</p>
${filterForm({ action: CASES_PATH, fields, values: { ...(provider && { provider }), ...(state && { state }) }, problems: {} })}
${cases.length === 0 ? emptyState('No cases', 'The providers and the books agree.') : listOf(cases)}`,
    };
  },
};

/** Whether a case is open, and who settled it. */
export const caseBadge = ({ closedAt, closedBy }: Case): Html => {
  if (closedAt === null) return badge('warning', 'Open');
  return closedBy === null ? badge('plain', 'Ended by itself') : badge('success', 'Settled');
};

const listOf = (cases: readonly Case[]): Html => html`<section class="card">
${table('Cases, open ones first', cases.slice(0, SHOWN), [
  {
    title: 'Case',
    value: ({ id, why, amount: open }) =>
      html`<a href="${openCasePath(id)}">${id}: ${caseTitle(why, parseMoney(open))}</a>`,
    phone: 'head',
  },
  { title: 'Provider', value: ({ provider }) => provider ?? '–', phone: 'plain' },
  { title: 'Partner', value: ({ partner }) => partner ?? '–', phone: 'plain' },
  { title: 'Since', value: ({ openedAt }) => time(openedAt), phone: 'plain' },
  { title: 'State', value: caseBadge, phone: 'plain' },
  {
    title: 'ETB',
    phone: 'figure etb',
    align: 'right',
    value: ({ amount: open }) => (parseMoney(open) === 0n ? '–' : amount(open)),
  },
])}
${cases.length > SHOWN && message('notice', `There are more than ${SHOWN}. Choose a provider to see the others.`)}</section>`;
