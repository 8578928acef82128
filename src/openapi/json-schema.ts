import type { SchemaObject } from 'openapi3-ts/oas31';
import { type ZodType, z } from 'zod';

/** The output of zod before it is simplified. */
type Node = Record<string, unknown>;

type Direction = 'input' | 'output';

/**
 * The JSON Schema (draft 2020-12) of a request, without references. The service ignores unknown
 * fields.
 */
export const inputSchema = (schema: ZodType): SchemaObject => schemaOf(schema, 'input');

/** The JSON Schema of an answer. Clients ignore unknown fields. */
export const outputSchema = (schema: ZodType): SchemaObject => schemaOf(schema, 'output');

const schemaOf = (schema: ZodType, io: Direction): SchemaObject =>
  readable(
    z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      // zod omits these where a field is transformed, because it assigns them to the result.
      override({ zodSchema, jsonSchema }) {
        const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
        if (examples) Object.assign(jsonSchema, { examples });
        if (fallback !== undefined) Object.assign(jsonSchema, { default: fallback });
      },
    }) as Node,
    io,
  );

/** Removes redundant keywords, and puts the description of a field beside the field. */
function readable(schema: Node, io: Direction): SchemaObject {
  const { $schema, additionalProperties, oneOf, ...node } = schema;
  // Forms that a field tells apart exclude one another in any case.
  if (oneOf) node.anyOf = oneOf;
  // zod's pattern of a time also covers the days of February.
  if (node.format === 'date-time') delete node.pattern;
  if (io === 'output' && node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.items) node.items = readable(node.items as Node, io);
  if (node.properties) node.properties = mapValues(node.properties as Record<string, Node>, io);
  if (!Array.isArray(node.anyOf)) return node;
  const forms = node.anyOf.map((form) => readable(form, io));
  // zod repeats its own type beside a field's explicit forms.
  const { type, ...rest } = node;
  return { ...rest, anyOf: forms, ...meaningOf(rest, forms) };
}

const mapValues = (properties: Record<string, Node>, io: Direction): Record<string, SchemaObject> =>
  Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, readable(node, io)]));

/** A nullable field is wrapped: its description belongs to the wrapper. */
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
