import type { z } from 'zod';

/** The parsed text, or undefined where it is not JSON of this shape. Never throws. */
export function readJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): z.infer<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
