import type { z } from 'zod';

/** What the text says, or undefined where it is not JSON or not of the shape. Never throws. */
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
