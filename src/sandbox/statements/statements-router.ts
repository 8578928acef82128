import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Books } from '../books.ts';
import { readJsonObject } from '../request-body.ts';
import { fileColumns } from './file-columns.ts';
import { transactionsOf } from './provider-lists.ts';
import { type ListedFault, statementFaults } from './statement-faults.ts';

const faultSchema = z.strictObject({
  reference: z.string().min(1).max(100),
  fault: z.enum(Object.keys(statementFaults) as ListedFault[]),
});
const balanceSchema = z.strictObject({ amount: z.number().min(0).max(1e12) });
const paidInSchema = z.strictObject({
  amount: z.number().min(0.01).max(1e12),
  type: z.string().min(1).max(40).default('deposit'),
  account: z.strictObject({ key: z.string().min(1), value: z.string().min(1) }).optional(),
});
const zoneSchema = z
  .enum(Intl.supportedValuesOf('timeZone') as [string, ...string[]])
  .or(z.literal('UTC'));

/**
 * Statements of the providers by day, as JSON and as a file in CSV; faults that a tester puts into
 * them; and our balances at the providers.
 */
export function statementsRouter(books: Books): Router {
  const router = new Router();
  router.get('/statements/faults', (ctx) => {
    ctx.body = books.statementFaults.all();
  });
  router.post('/statements/faults', async (ctx) => {
    const given = faultSchema.safeParse(await readJsonObject(ctx)).data;
    if (!ctx.is('json') || !given)
      return problem(ctx, 400, `Send JSON: reference, and fault: ${Object.keys(statementFaults)}.`);
    books.statementFaults.set(given.reference, given.fault);
    ctx.body = books.statementFaults.all();
  });
  router.delete('/statements/faults', (ctx) => {
    books.statementFaults.clear();
    ctx.body = [];
  });

  router.get('/statements/:provider/:day', (ctx) => {
    const { provider = '', day: name = '' } = ctx.params;
    const { day, isFile } = /^(?<day>\d{4}-\d\d-\d\d)(?<isFile>\.csv)?$/.exec(name)?.groups ?? {};
    const zone = zoneSchema.safeParse(ctx.query.zone ?? 'UTC').data;
    const list = transactionsOf[provider];
    const cells = fileColumns[provider];
    if (!list || !cells) return problem(ctx, 404, 'The sandbox has no such provider.');
    if (!day || !zone) return problem(ctx, 400, 'Give a day and a time zone.');
    const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    const rows = list(books)
      .filter(({ taken }) => shown.format(taken.takenAt) === day)
      .map((one) => Object.entries(cells).map(([column, read]) => [column, read(one)] as const));
    if (!isFile) {
      ctx.body = rows.map((row) => Object.fromEntries(row));
      return;
    }
    ctx.type = 'text/csv';
    ctx.attachment(`${provider}-${name}`);
    ctx.body = [Object.keys(cells), ...rows.map((row) => row.map(([, value]) => quoted(value)))]
      .map((row) => `${row.join(',')}\r\n`)
      .join('');
  });

  router.put('/balances/:provider', async (ctx) => {
    const given = balanceSchema.safeParse(await readJsonObject(ctx)).data;
    if (!given) return problem(ctx, 400, 'Send JSON: amount.');
    books.setBalance(ctx.params.provider ?? '', given.amount);
    ctx.body = given;
  });
  router.post('/balances/:provider/paid-in', async (ctx) => {
    const given = paidInSchema.safeParse(await readJsonObject(ctx)).data;
    const { provider = '' } = ctx.params;
    if (!given) return problem(ctx, 400, 'Send JSON: amount, and perhaps type and account.');
    const { type, account } = given;
    const paid = books.payIn({ provider, amount: given.amount.toFixed(2), type, account });
    const before = books.balances.get(provider);
    if (before !== undefined) books.setBalance(provider, before + given.amount);
    ctx.body = { reference: paid.transactionReference };
  });
  return router;
}

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

function problem(ctx: Context, status: number, message: string): void {
  ctx.status = status;
  ctx.body = { message };
}
