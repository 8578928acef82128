import Router from '@koa/router';
import type { Context } from 'koa';
import { answerFaultsPage } from '../pages/faults-page.ts';
import { readJsonObject, readText } from '../request-body.ts';
import {
  type Faults,
  readFault,
  type SandboxProvider,
  sandboxProviderNames,
} from './provider-faults.ts';

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
    const fault = readFault((await readJsonObject(ctx)) ?? 'unreadable');
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
    const fault = form.has('clear') ? readFault({}) : readFault(faultOfForm(form));
    if (!fault) return problem(ctx, 400, 'The form cannot be read.');
    faults.set(provider, fault);
    ctx.redirect('/faults');
    ctx.status = 303;
  });
  return router;
}

const allOf = (faults: Faults) =>
  Object.fromEntries(sandboxProviderNames.map((provider) => [provider, faults.of(provider)]));

const providerOf = (ctx: Context): SandboxProvider | undefined =>
  sandboxProviderNames.find((provider) => provider === ctx.params.provider);

const faultOfForm = (form: URLSearchParams) => ({
  down: form.has('down'),
  slowSeconds: Number(form.get('slowSeconds') || 0),
  dropsAnswers: form.has('dropsAnswers'),
  losesCallbacks: form.has('losesCallbacks'),
  reversesLater: form.has('reversesLater'),
  answers: form.get('answers') ?? 'normal',
});

function problem(ctx: Context, status: number, message: string): void {
  ctx.status = status;
  ctx.body = { message };
}
