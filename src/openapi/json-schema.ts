import type { SchemaObject } from 'openapi3-ts/oas31';
import { type ZodType, z } from 'zod';

/** What zod writes, before it is made readable. */
type Node = Record<string, unknown>;

/**
 * What a caller may send, as a JSON Schema (draft 2020-12) without references. Fields that the schema
 * does not name are ignored.
 */
export const inputSchema = (schema: ZodType): SchemaObject => schemaOf(schema, 'input');

/** What the service answers, as a JSON Schema. Clients ignore fields that it does not name. */
export const outputSchema = (schema: ZodType): SchemaObject => schemaOf(schema, 'output');

const schemaOf = (schema: ZodType, io: 'input' | 'output'): SchemaObject =>
  readable(
    z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      // zod drops these where a field is transformed: it takes them to be of the result.
      override({ zodSchema, jsonSchema }) {
        const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
        if (examples) Object.assign(jsonSchema, { examples });
        if (fallback !== undefined) Object.assign(jsonSchema, { default: fallback });
      },
    }) as Node,
  );

/** Removes what tells a reader nothing, and puts the meaning of a field beside the field. */
function readable({ $schema, additionalProperties, ...node }: Node): SchemaObject {
  // zod's pattern of a time also counts the days of February.
  if (node.format === 'date-time') delete node.pattern;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.items) node.items = readable(node.items as Node);
  if (node.properties) node.properties = mapValues(node.properties as Record<string, Node>);
  if (!Array.isArray(node.anyOf)) return node;
  const forms = node.anyOf.map(readable);
  // A field that names its forms has zod's types beside them.
  const { type, ...rest } = node;
  return { ...rest, anyOf: forms, ...meaningOf(rest, forms) };
}

const mapValues = (properties: Record<string, Node>): Record<string, SchemaObject> =>
  Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, readable(node)]));

/** "Or null" wraps a field: its meaning belongs to the whole. */
function meaningOf(
  { description, examples }: Node,
  forms: readonly SchemaObject[],
): Pick<SchemaObject, 'description' | 'examples'> {
  const meant = forms.find((form) => form.description !== undefined);
  const found = {
    description: description ?? meant?.description,
    examples: examples ?? meant?.examples,
  };
  if (meant) {
    delete meant.description;
    delete meant.examples;
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
