import type { Context } from 'koa';

/** An answer: an object is sent as JSON, text as text/plain; `dropped` closes the connection. */
export type SandboxReply =
  | {
      readonly status: number;
      readonly body: string | object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'dropped';

/** Sends the answer, or closes the connection like a lost network. */
export function give(ctx: Context, reply: SandboxReply): void {
  if (reply === 'dropped') {
    ctx.respond = false;
    ctx.req.socket.destroy();
    return;
  }
  ctx.set(reply.headers ?? {});
  ctx.status = reply.status;
  if (typeof reply.body === 'string') ctx.type = 'text/plain';
  ctx.body = reply.body;
}

/** All providers use these for numbers with such a scenario. */
export const tooManyRequests: SandboxReply = {
  status: 429,
  body: 'Too Many Requests',
  headers: { 'Retry-After': '5' },
};
export const notAuthorised: SandboxReply = {
  status: 401,
  body: 'The supplied authentication is invalid',
};
