import type { Context } from 'koa';
import readRawBody from 'raw-body';

const bodyLimitBytes = 64 * 1024;

/**
 * The body as text, read once; throws an HTTP error (413, 400) that the application turns into a
 * reply.
 */
export function readText(ctx: Context): Promise<string> {
  ctx.state.text ??= readRawBody(ctx.req, {
    limit: bodyLimitBytes,
    length: ctx.request.length,
    encoding: 'utf8',
  });
  return ctx.state.text;
}

/** The body as a JSON object, or undefined for other content. */
export async function readJsonObject(ctx: Context): Promise<Record<string, unknown> | undefined> {
  const text = await readText(ctx);
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
