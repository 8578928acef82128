import type { SchemaObject } from 'openapi3-ts/oas31';
import { type Html, html } from '../../rendering/html.ts';
import { richText } from './rich-text.ts';

interface Row {
  readonly name: string;
  readonly field: SchemaObject;
  readonly isRequired: boolean;
}

/** The fields of a schema, those of objects in it below them, each with type and meaning. */
export function schemaTable(schema: SchemaObject, first: string): Html {
  const rows = rowsOf(schema, '');
  if (rows.length === 0)
    return html`<p>${typeOf(schema)}: ${richText(schema.description ?? '')}</p>`;
  return html`<div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">${first}</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(
    ({ name, field, isRequired }) => html`<tr>
<td><code>${name}</code>${isRequired && html` <span class="needed">needed</span>`}</td>
<td>${typeOf(field)}</td>
<td>${richText(field.description ?? '')}${exampleText(field)}</td></tr>`,
  )}</tbody></table></div>`;
}

function exampleText({ examples: [example] = [] }: SchemaObject): Html | undefined {
  if (example === undefined || example === null) return undefined;
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return html` <span class="quiet">Example: <code>${text}</code></span>`;
}

const formsOf = ({ anyOf, ...field }: SchemaObject): SchemaObject[] =>
  anyOf ? (anyOf as SchemaObject[]) : [field];

function rowsOf(schema: SchemaObject, prefix: string): Row[] {
  return formsOf(schema).flatMap((form) => {
    if (form.items)
      return rowsOf(form.items as SchemaObject, `${prefix}[].`.replace(/^\[\]\./, ''));
    const required = form.required ?? [];
    return Object.entries((form.properties ?? {}) as Record<string, SchemaObject>).flatMap(
      ([name, field]) => [
        { name: prefix + name, field, isRequired: required.includes(name) },
        ...rowsOf(field, `${prefix}${name}${field.items ? '' : '.'}`),
      ],
    );
  });
}

/** The type of a field in words: `integer or text`, `list of objects`. */
function typeOf(field: SchemaObject): string {
  if (field.anyOf) return [...new Set((field.anyOf as SchemaObject[]).map(typeOf))].join(' or ');
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum) return field.enum.map((value) => String(value)).join(' · ');
  if (field.items) return `list of ${typeOf(field.items as SchemaObject)}`;
  const types = [field.type ?? 'anything'].flat().map((type) => WORDS[type] ?? type);
  const limits = [
    field.format === 'date-time' && 'ISO 8601',
    field.minimum !== undefined && `from ${field.minimum}`,
    field.maxLength !== undefined && `at most ${field.maxLength} characters`,
  ].filter(Boolean);
  return [types.join(' or '), ...limits].join(', ');
}

const WORDS: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false' };
