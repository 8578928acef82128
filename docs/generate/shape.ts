import { type ZodType, z } from 'zod';

/** The parts of a JSON Schema that are shown. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly format?: string;
  readonly anyOf?: readonly JsonSchema[];
  /** Forms of a body, which its field `kind` tells apart. */
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export interface DocumentedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly meaning: string;
}

const schemaOf = (schema: ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as JsonSchema;

/** zod writes "text or null" as one schema of two types. */
const typesOf = ({ type }: JsonSchema): readonly string[] =>
  type === undefined ? [] : [type].flat();

const WORDS: Readonly<Record<string, string>> = {
  integer: 'number',
  boolean: 'true or false',
  string: 'text',
};

/** Without the "or null" that every optional field has. */
const alternatives = ({ anyOf = [] }: JsonSchema): readonly JsonSchema[] =>
  anyOf.filter((schema) => !isNull(schema));

function wordsOf(schema: JsonSchema): string {
  if (schema.description) return schema.description;
  if (schema.anyOf) return [...new Set(alternatives(schema).map(wordsOf))].join(' or ');
  const types = typesOf(schema).filter((type) => type !== 'null');
  return types.map((type) => WORDS[type] ?? type).join(' or ') || 'anything';
}

/** The fields of a body, those of its lists included, or the parameters of a path. */
export const fieldsOf = (schema: ZodType): DocumentedField[] =>
  fieldsIn(schemaOf(schema, 'input'), '');

function fieldsIn(whole: JsonSchema, prefix: string): DocumentedField[] {
  const forms = whole.oneOf ?? [whole];
  const names = new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].flatMap((name) => {
    const having = forms.filter(({ properties = {} }) => properties[name]);
    const isRequired = having.every(({ required = [] }) => required.includes(name));
    const meanings = having.map(({ properties = {} }) =>
      meaningOf(properties[name] ?? {}, isRequired),
    );
    const only = having.length < forms.length ? ` (only ${having.map(kindOf).join(', ')})` : '';
    const requiring = having.filter(({ required = [] }) => required.includes(name));
    const by =
      !isRequired && requiring.length > 0
        ? ` (required of ${requiring.map(kindOf).join(', ')})`
        : '';
    const meaning = [...new Set(meanings)].join('; ') + only + by;
    const items = having[0]?.properties?.[name]?.items ?? {};
    return [
      { name: prefix + name, isRequired, meaning },
      ...fieldsIn(items, `${prefix}${name}[].`),
    ];
  });
}

const meaningOf = (property: JsonSchema, isRequired: boolean): string =>
  wordsOf(property) +
  (isNullable(property) && isRequired && !wordsOf(property).includes('null') ? ', or null' : '');

/** The value that tells a form of a body. */
const kindOf = ({ properties: { kind } = {} }: JsonSchema): string => `\`${kind?.const}\``;

const isNull = (schema: JsonSchema): boolean => typesOf(schema).includes('null');

const isNullable = (schema: JsonSchema): boolean =>
  isNull(schema) || (schema.anyOf ?? []).some(isNull);

/** An answer as a line or an outline of TypeScript. */
export const shapeOf = (schema: ZodType): string => outline(schemaOf(schema, 'output'), '');

function outline(schema: JsonSchema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf)
    return [...new Set(schema.anyOf.map((one) => outline(one, indent)))].join(' | ');
  if (schema.type === 'array') return `${outline(schema.items ?? {}, indent)}[]`;
  if (schema.properties) return outlineOfObject(schema, indent);
  if (schema.format === 'date-time') return 'time';
  const types = typesOf(schema).map((type) => (type === 'integer' ? 'number' : type));
  return types.join(' | ') || 'unknown';
}

function outlineOfObject({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, property]) =>
      `${inner}${name}${required.includes(name) ? '' : '?'}: ${outline(property, inner)}`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}
