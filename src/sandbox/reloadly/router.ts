import { randomBytes } from 'node:crypto';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { operatorOf } from '../../domain/operator.ts';
import { statusOf } from '../accepted-requests.ts';
import { isWrongKey } from '../basic-credentials.ts';
import { canonicalNumber } from '../phone-number.ts';
import { give, type SandboxReply } from '../reply.ts';
import { readJsonObject } from '../request-body.ts';
import { createTopup, type ReloadlyParts } from './create-topup.ts';
import { errorReply } from './errors.ts';
import { listTopups } from './list-topups.ts';
import { ACCOUNT_CURRENCY, operatorAnswer, operatorAnswers } from './operators.ts';
import { topupAnswer, wordOf } from './topup.ts';

/** Below the path that Reloadly is mounted on, which is the API's. */
export const reloadlyTokenPath = '/oauth/token';

const tokenLifetimeSeconds = 86_400;

/** Reloadly's airtime (providers.md 3.2b): tokens, top-ups and their outcomes, operators, balance. */
export function reloadlyRouter(parts: ReloadlyParts): Router {
  const { books } = parts;
  const expiries = new Map<string, number>();
  const router = new Router();
  router.post(reloadlyTokenPath, async (ctx) => give(ctx, await grantToken(ctx, expiries)));

  // In place of the provider's dashboard.
  router.put('/dashboard/webhook', async (ctx) => {
    const { url, secret } = (await readJsonObject(ctx)) ?? {};
    const isWebhook = typeof url === 'string' && URL.canParse(url) && typeof secret === 'string';
    if (!isWebhook) return give(ctx, errorReply(ctx, 'INVALID_REQUEST'));
    parts.reloadlyWebhook.target = { url, secret };
    ctx.status = 204;
  });

  const api = new Router();
  api.use(requireToken(expiries));
  api.post('/topups-async', async (ctx) => give(ctx, await createTopup(ctx, parts)));
  api.get('/topups/reports/transactions', (ctx) => give(ctx, listTopups(ctx, books)));
  api.get('/topups/reports/transactions/:id', (ctx) => {
    const topup = books.findTopup('transactionId', ctx.params.id ?? '', 'reloadly');
    const reply = topup && { status: 200, body: topupAnswer(topup) };
    give(ctx, reply ?? errorReply(ctx, 'RESOURCE_NOT_FOUND'));
  });
  api.get('/topups/:id/status', (ctx) => {
    const topup = books.findTopup('transactionId', ctx.params.id ?? '', 'reloadly');
    if (!topup) return give(ctx, errorReply(ctx, 'RESOURCE_NOT_FOUND'));
    const status = statusOf(topup);
    const transaction = status === 'pending' ? null : topupAnswer(topup);
    ctx.body = { code: null, message: null, status: wordOf(topup, status), transaction };
  });
  api.get('/accounts/balance', (ctx) => {
    const balance = books.balances.get('reloadly') ?? 1_000_000;
    ctx.body = { balance, currencyCode: ACCOUNT_CURRENCY, currencyName: 'US Dollar' };
  });
  api.get('/operators/countries/:country', (ctx) => {
    ctx.body = ctx.params.country === 'ET' ? operatorAnswers() : [];
  });
  api.get('/operators/auto-detect/phone/:phone/countries/:country', (ctx) => {
    const operator = operatorOf(canonicalNumber(ctx.params.phone ?? ''));
    const reply = operator && { status: 200, body: operatorAnswer(operator) };
    give(ctx, reply ?? errorReply(ctx, 'COULD_NOT_AUTO_DETECT_OPERATOR'));
  });
  router.use(api.routes());
  return router;
}

/** Any client id and secret that are not wrong get a token, which is for the API that they name. */
async function grantToken(ctx: Context, expiries: Map<string, number>): Promise<SandboxReply> {
  const body = await readJsonObject(ctx);
  const isFilled = ['client_id', 'client_secret', 'audience'].every(
    (name) => typeof body?.[name] === 'string' && !isWrongKey(body[name]),
  );
  if (!isFilled || body?.grant_type !== 'client_credentials')
    return errorReply(ctx, 'INVALID_CREDENTIALS');
  const token = randomBytes(24).toString('base64url');
  expiries.set(token, Date.now() + tokenLifetimeSeconds * 1000);
  return {
    status: 200,
    body: {
      access_token: token,
      scope: 'send-topups read-topups-history read-operators',
      expires_in: tokenLifetimeSeconds,
      token_type: 'Bearer',
    },
  };
}

const requireToken =
  (expiries: Map<string, number>): Middleware =>
  async (ctx, next) => {
    const token = ctx.get('Authorization').replace(/^bearer /i, '');
    if ((expiries.get(token) ?? 0) <= Date.now())
      return give(ctx, errorReply(ctx, 'INVALID_TOKEN'));
    await next();
  };
