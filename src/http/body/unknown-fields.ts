import { type ZodType, z } from 'zod';

/** The fields of a value that its schema does not have: the service ignores them. */
export function unknownFields(schema: ZodType | undefined, value: unknown): string[] {
  const known = schema && fieldsOf(schema);
  return known ? Object.keys(Object(value)).filter((name) => !known.has(name)) : [];
}

/** The fields of an object in all its forms; undefined where it may have any. */
function fieldsOf(schema: ZodType): ReadonlySet<string> | undefined {
  if (schema instanceof z.ZodUnion)
    return new Set(schema.options.flatMap((form) => [...(fieldsOf(form as ZodType) ?? [])]));
  if (schema instanceof z.ZodObject && !schema.def.catchall)
    return new Set(Object.keys(schema.shape));
  return undefined;
}

const SHOWN_NAMES = 20;
const SHOWN_CHARACTERS = 50;

/** The header that tells a caller which fields of the body were ignored; a caller chose the names. */
export const ignoredFieldsHeader = (names: readonly string[]): Record<string, string> =>
  names.length === 0
    ? {}
    : {
        'x-ignored-fields': names
          .slice(0, SHOWN_NAMES)
          .map((name) => name.slice(0, SHOWN_CHARACTERS).replaceAll(/[^\w.-]/g, '?'))
          .join(', '),
      };
