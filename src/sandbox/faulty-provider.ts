import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { allProviders, type ProviderName } from '../domain/providers.ts';
import type { Waiting } from './callbacks.ts';
import { errorReply as dtOneError } from './dt-one.ts';
import { type Faults, faultSchema, type ProviderFault } from './faults.ts';
import { errorReply as gsmaError } from './gsma/answers.ts';
import { errorReply as mpesaError } from './mpesa.ts';
import { answerFaultsPage } from './pages.ts';
import { errorReply as reloadlyError } from './reloadly.ts';
import {
  give,
  notAuthorised,
  problem,
  readRequest,
  readText,
  type SandboxReply,
  tooManyRequests,
} from './requests.ts';

type Answers = ProviderFault['answers'];

type Reply = (ctx: Context) => SandboxReply;

/** A 401 as each provider writes it; another 401 says nothing about the effect. */
const notAuthorisedBy: Partial<Record<ProviderName, Reply>> = {
  gsma: () => gsmaError('notAuthorised'),
  mpesa: () => mpesaError('wrongToken'),
  'dt-one': () => dtOneError('unauthorised'),
  reloadly: (ctx) => reloadlyError(ctx, 'INVALID_TOKEN'),
};

/** Answers of a provider that reads nothing. */
const unread: Partial<Record<Answers, (provider: ProviderName) => Reply>> = {
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
  (faults: Faults, provider: ProviderName, waiting: Waiting): Middleware =>
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

/** `/faults`: what a tester has broken, as a page with forms and as JSON. */
export function faultsRouter(faults: Faults): Router {
  const router = new Router();
  router.get('/faults', (ctx) => {
    if (ctx.accepts('json', 'html') === 'html') return answerFaultsPage(ctx, faults);
    ctx.body = allOf(faults);
  });

  router.delete('/faults', (ctx) => {
    faults.clear();
    ctx.body = allOf(faults);
  });

  router.put('/faults/:provider', async (ctx) => {
    const provider = providerOf(ctx);
    if (!provider) return problem(ctx, 404, 'The sandbox has no such provider.');
    const { request: fault } = await readRequest(ctx, faultSchema);
    if (!ctx.is('json') || !fault)
      return problem(ctx, 400, 'Send JSON with fields of the fault, as GET /faults shows them.');
    faults.set(provider, fault);
    ctx.body = fault;
  });

  router.post('/faults/:provider', async (ctx) => {
    const provider = providerOf(ctx);
    if (!provider) return problem(ctx, 404, 'The sandbox has no such provider.');
    // A page of somebody else must not break what is tested here.
    if (!['same-origin', 'none', ''].includes(ctx.get('Sec-Fetch-Site')))
      return problem(ctx, 403, 'The form must come from this page.');
    const form = new URLSearchParams(await readText(ctx));
    const { data: fault } = faultSchema.safeParse(form.has('clear') ? {} : faultOfForm(form));
    if (!fault) return problem(ctx, 400, 'The form cannot be read.');
    faults.set(provider, fault);
    ctx.redirect('/faults');
    ctx.status = 303;
  });
  return router;
}

const allOf = (faults: Faults) =>
  Object.fromEntries(allProviders.map((provider) => [provider, faults.of(provider)]));

const providerOf = (ctx: Context): ProviderName | undefined =>
  allProviders.find((provider) => provider === ctx.params.provider);

const faultOfForm = (form: URLSearchParams) => ({
  down: form.has('down'),
  slowSeconds: Number(form.get('slowSeconds') || 0),
  dropsAnswers: form.has('dropsAnswers'),
  losesCallbacks: form.has('losesCallbacks'),
  reversesLater: form.has('reversesLater'),
  answers: form.get('answers') ?? 'normal',
});
