import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';

type Schemas = Record<string, SchemaObject>;

const REFERENCE = '#/components/schemas/';

/** An object or several forms of one gets a title, unless it has one. */
export const titled = (schema: SchemaObject, title: string): SchemaObject =>
  schema.title !== undefined || !(schema.properties ?? schema.anyOf)
    ? schema
    : { title, ...schema };

/** Parts of a document that hold values, in which a title names nothing. */
const VALUES = ['example', 'examples', 'default', 'const', 'enum'];

/**
 * Moves each schema that has a title into `schemas`, under its title, and puts a reference in its
 * place. Generators of clients make one type of each.
 *
 * @throws {Error} for two different schemas of one title
 */
export function withNamedSchemas<Part>(part: Part, schemas: Schemas): Part {
  if (Array.isArray(part)) return part.map((one) => withNamedSchemas(one, schemas)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      VALUES.includes(key) ? value : withNamedSchemas(value, schemas),
    ]),
  );
  return (typeof inner.title === 'string' ? referenceTo(inner, schemas) : inner) as Part;
}

/** What a place gives another meaning or example stands beside the reference. */
function referenceTo({ title = '', ...schema }: SchemaObject, schemas: Schemas): SchemaObject {
  const named = schemas[title] ?? schema;
  schemas[title] = named;
  if (formOf(named) !== formOf(schema)) throw new Error(`Two schemas have the title ${title}`);
  const own = (['description', 'examples'] as const).filter(
    (key) => schema[key] !== undefined && !isDeepStrictEqual(schema[key], named[key]),
  );
  return {
    $ref: REFERENCE + title,
    ...Object.fromEntries(own.map((key) => [key, schema[key]])),
  };
}

const formOf = ({ description: _meaning, examples: _examples, ...form }: SchemaObject): string =>
  JSON.stringify(form);

/** The document with each schema in the place of its references, where its name is its title. */
export function withoutReferences(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const resolved = <Part>(part: Part): Part => {
    if (Array.isArray(part)) return part.map((one) => resolved(one)) as Part;
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, ...rest } = part as { readonly $ref?: string };
    if ($ref?.startsWith(REFERENCE)) {
      const title = $ref.slice(REFERENCE.length);
      return { title, ...resolved(schemas[title]), ...rest } as Part;
    }
    const entries = Object.entries(part).map(([key, value]) => [key, resolved(value)]);
    return Object.fromEntries(entries) as Part;
  };
  return resolved(document);
}
