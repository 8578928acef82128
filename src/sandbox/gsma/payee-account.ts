import Router from '@koa/router';
import type { Context } from 'koa';
import { canonicalNumber } from '../phone-number.ts';
import { give, type SandboxReply } from '../reply.ts';
import { errorReply } from './errors.ts';

/** What the provider says of an account, by the last two digits of its number. */
interface AccountRow {
  readonly suffix: string;
  readonly meaning: string;
  readonly status: () => SandboxReply;
  readonly name: () => SandboxReply;
}

const said = (accountStatus: string) => (): SandboxReply => ({
  status: 200,
  body: { accountStatus, subStatus: 'none' },
});
const named = (fullName: string) => (): SandboxReply => ({
  status: 200,
  body: { name: { fullName } },
});
/** Who holds all other accounts. */
const holder = 'Abebe Kebede';

/** Payments to these accounts succeed where nobody asks before. */
export const accountRows: readonly AccountRow[] = [
  {
    suffix: '26',
    meaning: 'unknown account',
    status: () => errorReply('noSuchAccount'),
    name: () => errorReply('noSuchAccount'),
  },
  {
    suffix: '27',
    meaning: 'the account takes no money',
    status: said('unavailable'),
    name: named(holder),
  },
  {
    suffix: '28',
    meaning: 'not registered: money would wait for its holder',
    status: said('unregistered'),
    name: named(''),
  },
  {
    suffix: '29',
    meaning: 'somebody else holds it: Chaltu Bekele instead of Abebe Kebede',
    status: said('available'),
    name: named('Chaltu Bekele'),
  },
  {
    suffix: '30',
    meaning: 'it cannot be asked for: 503',
    status: () => errorReply('unavailable'),
    name: () => errorReply('unavailable'),
  },
  {
    suffix: '31',
    meaning: 'its holder is not told: a registered one must be confirmed by an operator',
    status: said('available'),
    name: named(''),
  },
];

/** `GET /accounts/{identifierType}/{identifier}/status` and `/accountname` (providers.md 3.1). */
export function payeeAccountRouter(): Router {
  const router = new Router();
  const rowOf = (ctx: Context) => {
    const number = canonicalNumber(ctx.params.identifier ?? '');
    return accountRows.find(({ suffix }) => number.endsWith(suffix));
  };
  router.get('/accounts/:identifierType/:identifier/status', (ctx) =>
    give(ctx, (rowOf(ctx)?.status ?? said('available'))()),
  );
  router.get('/accounts/:identifierType/:identifier/accountname', (ctx) =>
    give(ctx, (rowOf(ctx)?.name ?? named(holder))()),
  );
  return router;
}
