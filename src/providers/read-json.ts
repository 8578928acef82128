import type { z } from 'zod';

/**
 * The parsed text, or undefined where it is not JSON of this shape. Never throws. Some providers write
 * an empty text where they have no value: it is absent, and makes no other field unreadable.
 */
export function readJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): z.infer<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text, withoutEmpty)).data;
  } catch {
    return undefined;
  }
}

const withoutEmpty = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.trim() === '' ? undefined : value;
