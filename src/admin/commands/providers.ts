import { listRefusedPayments } from '../../db/lists/redemptions.ts';
import { listBalances } from '../../db/provider-statements/balances.ts';
import {
  addRoute,
  listProviderStates,
  listRoutes,
  type RouteRow,
  removeRoute,
  switchRoute,
} from '../../db/providers.ts';
import {
  allProviders,
  isFor,
  type RouteKind,
  routedProviders,
  routeKinds,
} from '../../domain/providers.ts';
import { checkProvider } from '../../providers/provider-set.ts';
import { type AdminCommand, changeCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  argument,
  decimalFromZero,
  id,
  oneOf,
  optional,
  required,
  wholeNumber,
} from '../fields.ts';
import { requireSubject } from '../record-names.ts';
import { column, moneyText, numbers, textTable, timeText } from '../tables.ts';

export const checkProvidersCommand: AdminCommand = {
  name: 'providers check',
  details:
    'Says of each provider whether it is configured, reachable, and accepts our credentials. It moves ' +
    'no money and sends no message. It uses the settings of this command, so run it with those of the ' +
    'worker process. A provider that fails makes the exit code 2.',
  fields: {},
  examples: ['providers check', 'providers check --json'],
  async run(context) {
    const ports = await context.providerPorts();
    const defaults: readonly string[] = Object.values(context.settings.defaultProviders);
    const rows = await Promise.all(
      allProviders.map(async (provider) => {
        const port = ports.find(({ name }) => name === provider)?.port;
        if (!port)
          return defaults.includes(provider)
            ? { provider, result: 'FAILED', detail: 'not configured, and the default of its kind' }
            : { provider, result: '', detail: 'not configured' };
        const { ok, detail } = await checkProvider(port).finally(() => port.close?.());
        return { provider, result: ok ? 'ok' : 'FAILED', detail };
      }),
    );
    return {
      json: rows,
      text: textTable(rows, [
        column('provider', ({ provider }) => provider),
        column('result', ({ result }) => result),
        column('detail', ({ detail }) => detail),
      ]),
      exitCode: rows.some(({ result }) => result === 'FAILED') ? 2 : 0,
    };
  },
};

export const listBalancesCommand = lookCommand({
  name: 'providers list-balances',
  fields: {},
  examples: ['providers list-balances'],
  async look(database) {
    const balances = await listBalances(database);
    return {
      json: balances,
      text: textTable(balances, [
        column('provider', ({ provider }) => provider),
        column('currency', ({ currency }) => currency),
        numbers('balance', ({ amount }) => amount),
        column('read', ({ readAt }) => timeText(readAt)),
      ]),
    };
  },
});

export const listProviderStatesCommand = lookCommand({
  name: 'providers list-states',
  details:
    'Each worker has a circuit breaker of its own, and tells its state every 10 seconds. ' +
    '"stuck" means that a call waited for a place in vain and none has ended since; "empty" that the ' +
    'provider refused something lately for lack of our money.',
  fields: {},
  examples: ['providers list-states'],
  async look(database) {
    const states = await listProviderStates(database);
    return {
      json: states,
      text: textTable(states, [
        column('provider', ({ provider }) => provider),
        column('breaker', ({ state }) => state),
        column('since', ({ since }) => timeText(since)),
        column('takes calls', ({ takesCalls, state }) => {
          if (takesCalls) return 'yes';
          return state === 'closed' ? 'no: stuck' : 'no';
        }),
        column('our money', ({ hasMoney }) => (hasMoney ? '' : 'empty')),
        column('worker', ({ worker }) => worker),
        column('seen', ({ seenAt }) => timeText(seenAt)),
      ]),
    };
  },
});

const NEWEST = 1_000;

export const listRefusedPaymentsCommand = lookCommand({
  name: 'providers list-refused-payments',
  details:
    'Counts the newest redemptions whose payment was refused, by merchant, provider and reason. "Paid" ' +
    'counts those to the same merchant by the same provider that were paid meanwhile.',
  fields: {
    newest: optional(wholeNumber(1, 100_000), `How many redemptions count; ${NEWEST} by default`),
  },
  examples: ['providers list-refused-payments', 'providers list-refused-payments --newest 10000'],
  async look(database, { newest = NEWEST }) {
    const refused = await listRefusedPayments(database, newest);
    return {
      json: refused,
      text: textTable(refused, [
        numbers('merchant', (row) => row.merchantId),
        column('name', (row) => row.merchant),
        column('provider', (row) => row.provider),
        numbers('refused', (row) => row.refused),
        numbers('paid', (row) => row.paid),
        numbers('smallest etb', (row) => moneyText(row.smallest)),
        numbers('largest etb', (row) => moneyText(row.largest)),
        column('last', (row) => timeText(row.lastAt)),
        column('says', (row) => row.message),
      ]),
    };
  },
});

/** The conditions of a route in words. */
function conditionsOf(route: RouteRow): string {
  const { operator, partner_id, merchant_id, amount_from, amount_to } = route;
  const range = [
    amount_from === null ? '' : `from ETB ${moneyText(amount_from)}`,
    amount_to === null ? '' : `to ETB ${moneyText(amount_to)}`,
  ].filter(Boolean);
  const parts = [
    operator?.toLowerCase().replace('_', ' '),
    partner_id === null ? undefined : `partner ${partner_id}`,
    merchant_id === null ? undefined : `merchant ${merchant_id}`,
    range.join(' ') || undefined,
  ];
  return parts.filter(Boolean).join(', ') || 'all';
}

export const listRoutesCommand = lookCommand({
  name: 'providers route list',
  details:
    'What no route decides goes to the default provider of its kind: SMS_PROVIDER, ' +
    'MOBILE_MONEY_PROVIDER, AIRTIME_PROVIDER.',
  fields: {},
  examples: ['providers route list'],
  async look(database) {
    const routes = await listRoutes(database);
    return {
      json: routes,
      text: textTable(routes, [
        numbers('id', (route) => route.id),
        column('what', (route) => route.kind),
        column('of', conditionsOf),
        numbers('position', (route) => route.position),
        column('provider', (route) => route.provider),
        numbers('weight', (route) => route.weight),
        column('state', (route) => (route.is_enabled ? 'enabled' : 'disabled')),
      ]),
    };
  },
});

export const addRouteCommand = changeCommand({
  name: 'providers route add',
  action: 'route add',
  details:
    'All conditions of a route must hold. Of the routes that hold, the lowest position is asked first, ' +
    'and the next one only where that provider certainly did nothing. Routes of one position share ' +
    'the operations by their weights. It holds for new operations from now on; who was asked already ' +
    'stays.',
  fields: {
    kind: required(oneOf(...routeKinds), 'What it serves'),
    provider: required(oneOf(...allProviders), 'Who serves it'),
    position: optional(wholeNumber(1, 1_000), 'Its turn; 1 by default, which is asked first'),
    weight: optional(wholeNumber(1, 1_000), 'Its share among routes of the position; 1 by default'),
    operator: optional(
      oneOf('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'),
      'Only numbers of this operator: of the receiver, or of the payout account',
    ),
    partner: optional(id, 'Only vouchers and top-ups of this partner'),
    merchant: optional(id, 'Only payments to this merchant, and messages about them'),
    from: optional(decimalFromZero, 'Only amounts from this one, in ETB'),
    to: optional(decimalFromZero, 'Only amounts up to this one, in ETB'),
  },
  examples: [
    'providers route add --kind payout --provider gsma --position 1',
    'providers route add --kind topup-airtime --provider dt-one --operator ETHIO_TELECOM --weight 3',
    'providers route add --kind payout --provider gsma --merchant 1 --from 100 --to 5000',
  ],
  async change(transaction, input, { configuredProviders }) {
    const { kind, provider } = input;
    requireProvider(kind, provider, configuredProviders()[kind]);
    requireConditions(kind, input);
    if (input.partner !== undefined) await requireSubject(transaction, 'partner', input.partner);
    if (input.merchant !== undefined) await requireSubject(transaction, 'merchant', input.merchant);
    const route = {
      kind,
      provider,
      position: input.position ?? 1,
      weight: input.weight ?? 1,
      operator: input.operator ?? null,
      partner_id: input.partner ?? null,
      merchant_id: input.merchant ?? null,
      amount_from: input.from ?? null,
      amount_to: input.to ?? null,
    };
    const routeId = await addRoute(transaction, route);
    return {
      subject: { kind: 'route', id: routeId },
      details: route,
      text: `Route ${routeId}: ${provider} serves ${kind} at position ${route.position}.`,
    };
  },
});

function requireProvider(kind: RouteKind, provider: string, configured: readonly string[]): void {
  if (!isFor(provider, kind))
    throw new AdminError(
      `${provider} does not serve ${kind}: choose ${routedProviders[kind].join(' or ')}.`,
    );
  if (!configured.includes(provider))
    throw new AdminError(
      `${provider} is not configured: set its settings, in the worker processes and here, and add ` +
        'the route then.',
    );
}

function requireConditions(
  kind: RouteKind,
  {
    merchant,
    from,
    to,
  }: Readonly<Record<'merchant', number | undefined> & Record<'from' | 'to', string | undefined>>,
): void {
  if (kind === 'sms' && (from !== undefined || to !== undefined))
    throw new AdminError('Messages have no amount: leave --from and --to out.');
  if (kind.startsWith('topup') && merchant !== undefined)
    throw new AdminError('Top-ups have no merchant: leave --merchant out.');
  if (from !== undefined && to !== undefined && Number(from) > Number(to))
    throw new AdminError('--from must not be more than --to.');
}

const none = (routeId: number) =>
  new AdminError(`There is no route ${routeId}: see "providers route list".`);
const subjectOf = (routeId: number) => ({ kind: 'route', id: routeId });
const detailsOf = ({ id: _id, created_at: _at, ...route }: RouteRow) => route;

export const removeRouteCommand = changeCommand({
  name: 'providers route remove',
  action: 'route remove',
  fields: { id: argument(id, 'The id of the route: see providers route list') },
  examples: ['providers route remove 3'],
  async change(transaction, input) {
    const route = await removeRoute(transaction, input.id);
    if (!route) throw none(input.id);
    return {
      subject: subjectOf(input.id),
      details: detailsOf(route),
      text: `Route ${input.id} of ${route.kind} to ${route.provider} is removed.`,
    };
  },
});

const switchCommand = (name: 'enable' | 'disable') =>
  changeCommand({
    name: `providers route ${name}`,
    action: `route ${name}`,
    fields: { id: argument(id, 'The id of the route: see providers route list') },
    examples: [`providers route ${name} 3`],
    async change(transaction, input) {
      const found = await switchRoute(transaction, input.id, name === 'enable');
      if (!found) throw none(input.id);
      const { route, isChanged } = found;
      if (!isChanged) return { unchanged: `No change: route ${input.id} is ${name}d already.` };
      return {
        subject: subjectOf(input.id),
        details: detailsOf(route),
        text: `Route ${input.id} of ${route.kind} to ${route.provider} is ${name}d.`,
      };
    },
  });

export const enableRouteCommand = switchCommand('enable');
export const disableRouteCommand = switchCommand('disable');
