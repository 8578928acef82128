import { type Html, html } from '../../rendering/html.ts';
import { field, selectField } from './parts.ts';

/** A filter field of a page. */
export interface FilterField {
  readonly label: string;
  /** The choices, by their sent values; absent for a text field. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly isDay?: true;
}

/**
 * A GET form: its result has its own address, which people can bookmark and share. Empty fields
 * filter nothing.
 */
export const filterForm = (form: {
  readonly action: string;
  readonly fields: Readonly<Record<string, FilterField>>;
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string | undefined>>;
}): Html => html`<form class="filters" method="get" action="${form.action}">
${Object.entries(form.fields).map(([name, { label, options, isDay }]) => {
  const value = form.values[name] ?? '';
  const error = form.problems[name];
  return options === undefined
    ? field({ name, label, value, error, isOptional: true, ...(isDay ? { type: 'date' } : {}) })
    : selectField({ name, label, value, options: [['', 'All'], ...options], error });
})}
<div class="actions"><button>Show</button>
${Object.keys(form.values).length > 0 && html`<a href="${form.action}">Show all</a>`}</div>
</form>`;

/** The form of a range of days. */
export const daysForm = (
  action: string,
  { values, problems }: Pick<Parameters<typeof filterForm>[0], 'values' | 'problems'>,
): Html =>
  html`<form class="filters" method="get" action="${action}">
${field({ name: 'from', label: 'From', type: 'date', value: values.from ?? '', error: problems.from, isOptional: true })}
${field({ name: 'to', label: 'To', type: 'date', value: values.to ?? '', error: problems.to, isOptional: true })}
<div class="actions"><button>Show</button></div>
</form>`;
