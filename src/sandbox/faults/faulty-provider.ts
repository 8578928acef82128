import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import type { Waiting } from '../delays.ts';
import { errorReply as dtOneError } from '../dt-one/errors.ts';
import { errorReply as gsmaError } from '../gsma/errors.ts';
import { errorReply as mpesaError } from '../mpesa/errors.ts';
import { errorReply as reloadlyError } from '../reloadly/errors.ts';
import { give, notAuthorised, type SandboxReply, tooManyRequests } from '../reply.ts';
import { readText } from '../request-body.ts';
import type { Faults, ProviderFault, SandboxProvider } from './provider-faults.ts';

type Answers = ProviderFault['answers'];

type Reply = (ctx: Context) => SandboxReply;

/** A 401 as each provider writes it; another one says nothing about what was done. */
const notAuthorisedBy: Partial<Record<SandboxProvider, Reply>> = {
  gsma: () => gsmaError('notAuthorised'),
  mpesa: () => mpesaError('wrongToken'),
  'dt-one': () => dtOneError('unauthorised'),
  reloadly: (ctx) => reloadlyError(ctx, 'INVALID_TOKEN'),
};

/** Answers of a provider that reads nothing. */
const unread: Partial<Record<Answers, (provider: SandboxProvider) => Reply>> = {
  'not-authorised': (provider) => notAuthorisedBy[provider] ?? (() => notAuthorised),
  'too-many-requests': () => () => tooManyRequests,
  unavailable: () => () => ({ status: 503, body: 'Service Unavailable' }),
};

const hugeBytes = 5 * 1024 * 1024;
const dripSeconds = 0.2;

interface Garbled {
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly body: unknown;
}

/** Answers in place of the right one. */
const garbled: Partial<Record<Answers, (right: unknown, waiting: Waiting) => Garbled>> = {
  garbage: () => ({ body: '{"status":{"id":"70000","mess' }),
  'other-types': (right) => ({ body: JSON.stringify(ofOtherTypes(right)) }),
  empty: () => ({ body: '' }),
  html: () => ({ type: 'text/html', body: '<!doctype html><h1>We are improving for you</h1>' }),
  redirect: () => ({ status: 307, location: '/', body: '{}' }),
  huge: () => ({ body: `{"padding":"${'x'.repeat(hugeBytes)}"}` }),
  'slow-drip': (_right, waiting) => ({ body: Readable.from(drip(waiting)) }),
};

/** The fields of an object are objects, and the items of a list are words. */
const ofOtherTypes = (right: unknown): unknown =>
  Array.isArray(right)
    ? right.map(String)
    : Object.fromEntries(Object.entries(Object(right)).map(([name, value]) => [name, { value }]));

/** The faults of one provider, in front of its router. */
export const faultyProvider =
  (faults: Faults, provider: SandboxProvider, waiting: Waiting): Middleware =>
  async (ctx, next) => {
    const fault = faults.of(provider);
    if (fault.down) return give(ctx, 'dropped');
    if (fault.slowSeconds > 0) {
      // Read first: the request is on its way although its caller may give up meanwhile.
      await readText(ctx);
      await waiting.pause(fault.slowSeconds);
    }
    const reply = unread[fault.answers]?.(provider);
    if (reply) return give(ctx, reply(ctx));
    await next();
    if (fault.dropsAnswers) return give(ctx, 'dropped');
    garble(ctx, fault.answers, waiting);
  };

function garble(ctx: Context, answers: Answers, waiting: Waiting): void {
  const other = garbled[answers]?.(ctx.body, waiting);
  if (!other) return;
  const { status = 200, type = 'application/json', location, body } = other;
  ctx.status = status;
  ctx.type = type;
  if (location !== undefined) ctx.set('Location', location);
  ctx.body = body;
}

async function* drip(waiting: Waiting) {
  while (!waiting.ending.aborted) {
    yield ' ';
    await waiting.pause(dripSeconds);
  }
}
