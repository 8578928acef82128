import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';

/** A value that fits a schema, of the examples of its fields; undefined where it has none. */
export function exampleOf(schema: SchemaObject | ReferenceObject): unknown {
  if ('$ref' in schema) return undefined;
  if (schema.const !== undefined) return schema.const;
  const [example] = schema.examples ?? [];
  if (example !== undefined) return example;
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => [
      name,
      exampleOf(field),
    ]);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }
  if (schema.items) {
    const item = exampleOf(schema.items as SchemaObject);
    return item === undefined ? [] : [item];
  }
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'null') return null;
  const forms = (schema.anyOf ?? []).map(exampleOf);
  return forms.find((value) => value !== undefined && value !== null) ?? forms[0];
}
