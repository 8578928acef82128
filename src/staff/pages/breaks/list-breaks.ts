import { type Break, listBreaks } from '../../../db/provider-statements/breaks.ts';
import { statementProviderNames } from '../../../domain/provider-statements/statement-providers.ts';
import { parseDay } from '../../../domain/reports/day-report.ts';
import { filterForm } from '../../../portal/layout/filter-form.ts';
import { emptyState, message, table } from '../../../portal/layout/parts.ts';
import { type Html, html } from '../../../rendering/html.ts';
import type { StaffPage } from '../../page.ts';
import { BREAKS_PATH, breakBadge, breakPath, kindOf, sideOf, stateChoices } from './break-parts.ts';

const SHOWN = 200;

const fields = {
  provider: {
    label: 'Provider',
    options: statementProviderNames.map((name) => [name, name] as const),
  },
  day: { label: 'Day', isDay: true },
  state: { label: 'State', options: stateChoices },
} as const;

/** The breaks between statements of providers and our books, by provider, day and state. */
export const showBreaks: StaffPage = {
  method: 'GET',
  path: '/breaks',
  access: 'staff',
  needs: 'look',
  async handle({ services, query }) {
    const given = Object.keys(fields).map((name) => [name, query.get(name) ?? ''] as const);
    const values = Object.fromEntries(given.filter(([, value]) => value !== ''));
    const problems = problemsOf(values);
    const isRight = Object.keys(problems).length === 0;
    const breaks = isRight
      ? await listBreaks(services.database, { ...values, state: stateOf(values) }, SHOWN + 1)
      : [];
    return {
      kind: 'page',
      title: 'Breaks',
      ...(!isRight && { status: 400 }),
      content: html`<h1>Breaks</h1>
<p>Differences between the daily statements of providers and our books.</p>
${filterForm({ action: BREAKS_PATH, fields, values, problems })}
${
  breaks.length === 0
    ? emptyState('No breaks', isRight ? 'There is none of this kind.' : 'Correct the filter first.')
    : listOf(breaks)
}`,
    };
  },
};

const stateOf = ({ state }: Readonly<Record<string, string>>): Break['state'] | undefined =>
  stateChoices.map(([value]) => value as Break['state']).find((value) => value === state);

function problemsOf(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { provider, day, state } = values;
  const isProvider = provider === undefined || statementProviderNames.some((it) => it === provider);
  return {
    ...(!isProvider && { provider: 'Choose one of these.' }),
    ...(day !== undefined &&
      parseDay(day) === undefined && { day: 'Enter a day such as 2026-01-31.' }),
    ...(state !== undefined && stateOf(values) === undefined && { state: 'Choose one of these.' }),
  };
}

const listOf = (breaks: readonly Break[]): Html => html`<section class="card">
${table('Breaks, open ones first', breaks.slice(0, SHOWN), [
  {
    title: 'Break',
    value: ({ id, type }) => html`<a href="${breakPath(id)}">${id}: ${type}</a>`,
    phone: 'head',
  },
  { title: 'Provider', value: ({ provider }) => provider, phone: 'plain' },
  { title: 'Day', value: ({ day }) => day, phone: 'plain' },
  { title: 'What', value: kindOf, phone: 'plain' },
  { title: 'Ours', value: (one) => sideOf(one.ourStatus, one.ourAmount, 'ETB') },
  {
    title: 'Provider says',
    value: (one) => sideOf(one.providerStatus, one.providerAmount, one.providerCurrency),
  },
  { title: 'State', value: breakBadge, phone: 'plain' },
])}
${breaks.length > SHOWN && message('notice', `There are more than ${SHOWN}. Choose a provider or a day to see the others.`)}</section>`;
