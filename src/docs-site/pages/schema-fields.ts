import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { asMarkdown } from '../markdown.ts';

interface Field {
  readonly name: string;
  readonly schema: SchemaObject;
  readonly isRequired: boolean;
}

/** The shared schemas of a document, to which others refer. */
type Shared = Readonly<Record<string, SchemaObject>>;

/**
 * The fields of a schema as a list in Markdown, those of objects in it after them: type and meaning. Of what is
 * sent the needed ones are marked, of an answer those that it may lack.
 */
export function schemaFields(
  written: SchemaObject,
  {
    document: { components },
    isSent,
  }: { readonly document: OpenAPIObject; readonly isSent: boolean },
): string {
  const schema = whole(written, (components?.schemas ?? {}) as Shared);
  const fields = fieldsOf(schema, '');
  if (fields.length === 0)
    return `${asMarkdown(typeOf(schema))}: ${asMarkdown(schema.description ?? '')}`;
  return fields.map((field) => fieldItem(field, isSent)).join('\n');
}

/** A schema with what it refers to in place of the references. */
function whole(schema: SchemaObject, shared: Shared): SchemaObject {
  const { $ref, ...own } = schema as SchemaObject & { readonly $ref?: string };
  const text = JSON.stringify(own);
  const below: SchemaObject = text.includes('"$ref"')
    ? JSON.parse(text, (_name, value) => (value?.$ref ? whole(value, shared) : value))
    : own;
  const named = $ref && shared[$ref.replace('#/components/schemas/', '')];
  return named ? { ...whole(named, shared), ...below } : below;
}

function fieldItem({ name, schema, isRequired }: Field, isSent: boolean): string {
  const type = asMarkdown(typeOf(schema));
  const need = isRequired === isSent ? (isSent ? ' **needed**' : ' **may be absent**') : '';
  const about = asMarkdown(schema.description ?? '').replace(/\.$/, '');
  const meaning = [about, exampleOf(schema)].filter(Boolean).join('. ');
  // Two spaces at its end part the line from the next one.
  return `- \`${name}\` *${type}*${need}${meaning && `  \n  ${meaning}`}`;
}

function exampleOf({ examples: [example] = [] }: SchemaObject): string | undefined {
  if (example === undefined || example === null) return undefined;
  return `Example: \`${typeof example === 'string' ? example : JSON.stringify(example)}\``;
}

/** Its alternatives or its parts, where it has some. */
const formsOf = ({ anyOf, oneOf, allOf, ...own }: SchemaObject): SchemaObject[] => [
  ...(own.properties || own.items ? [own] : []),
  ...([anyOf, oneOf, allOf].flatMap((forms) => forms ?? []) as SchemaObject[]).flatMap(formsOf),
];

function fieldsOf(schema: SchemaObject, prefix: string): Field[] {
  return formsOf(schema).flatMap((form) => {
    if (form.items)
      return fieldsOf(form.items as SchemaObject, `${prefix}[].`.replace(/^\[\]\./, ''));
    const required = form.required ?? [];
    return Object.entries((form.properties ?? {}) as Record<string, SchemaObject>).flatMap(
      ([name, field]) => [
        { name: prefix + name, schema: field, isRequired: required.includes(name) },
        ...fieldsOf(field, `${prefix}${name}${field.items ? '' : '.'}`),
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
