import { isProviderConfigured } from '../../config/rules.ts';
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
import { amountText } from '../../domain/money.ts';
import {
  allProviders,
  isFor,
  type RouteKind,
  routedProviders,
  routeKinds,
} from '../../domain/providers.ts';
import { allPorts, checkProvider } from '../../providers/provider-set.ts';
import { type AdminCommand, type AdminContext, changeCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  argument,
  decimalFromZero,
  existing,
  id,
  oneOf,
  optional,
  required,
  shownAs,
  wholeNumber,
  withDefault,
} from '../fields.ts';
import { requireSubject } from '../record-names.ts';
import { amounts, column, tableReport } from '../tables.ts';

const switchCommand = (name: 'enable' | 'disable') =>
  changeCommand({
    action: `route ${name}`,
    fields: { id: argument(id, 'The id of the route: see providers route list') },
    async change(transaction, input) {
      const { route, isChanged } = routeOf(
        input.id,
        await switchRoute(transaction, input.id, name === 'enable'),
      );
      if (!isChanged) return { unchanged: `No change: route ${input.id} is ${name}d already.` };
      return {
        subject: subjectOf(input.id),
        details: detailsOf(route),
        text: `Route ${input.id} of ${route.kind} to ${route.provider} is ${name}d.`,
      };
    },
  });

/** An amount in ETB that may be 0. */
const amountFromZero = shownAs('amount', decimalFromZero);

export const commands: Record<string, AdminCommand> = {
  'providers check': {
    details:
      'Shows whether each provider is configured and reachable, and accepts our credentials. Moves ' +
      'no money and sends no message. The command uses its own settings, so run it with the settings of the ' +
      'worker process. A provider that fails makes the exit code 2.',
    fields: {},
    examples: ['', '--json'],
    async run({ settings }) {
      const ports = allPorts(settings);
      const defaults: readonly string[] = Object.values(settings.defaultProviders);
      const rows = await Promise.all(
        allProviders.map(async (provider) => {
          const port = ports[provider];
          if (!port)
            return defaults.includes(provider)
              ? {
                  provider,
                  result: 'FAILED',
                  detail: 'not configured, and the default of its kind',
                }
              : { provider, result: '', detail: 'not configured' };
          const { ok, detail } = await checkProvider(port).finally(() => port.close?.());
          return { provider, result: ok ? 'ok' : 'FAILED', detail };
        }),
      );
      return {
        ...tableReport(rows, ['provider', 'result', 'detail']),
        exitCode: rows.some(({ result }) => result === 'FAILED') ? 2 : 0,
      };
    },
  },

  'providers list-balances': lookCommand({
    fields: {},
    look: async (database) =>
      tableReport(await listBalances(database), [
        'provider',
        'currency',
        amounts('amount'),
        'readAt',
      ]),
  }),

  'providers list-states': lookCommand({
    details:
      'Each worker has its own circuit breaker for each provider, and reports its state every 10 ' +
      'seconds. "stuck": a call waited for a place in vain, and no call has ended since. "empty": ' +
      'the provider lately refused a call because our account has no money.',
    fields: {},
    look: async (database) =>
      tableReport(await listProviderStates(database), [
        'provider',
        'state',
        column('takes calls', ({ takesCalls, state }) => {
          if (takesCalls) return 'yes';
          return state === 'closed' ? 'no: stuck' : 'no';
        }),
        'since',
        column('our money', ({ hasMoney }) => (hasMoney ? '' : 'empty')),
        'worker',
        'seenAt',
      ]),
  }),

  'providers list-refused-payments': lookCommand({
    details:
      'Counts the newest redemptions whose payment was refused, by merchant, provider and reason. "Paid" ' +
      'counts those to the same merchant by the same provider that were paid meanwhile.',
    fields: {
      newest: withDefault(wholeNumber(1, 100_000), 'How many redemptions count', 1_000),
    },
    examples: ['', '--newest 10000'],
    look: async (database, { newest }) =>
      tableReport(await listRefusedPayments(database, newest), [
        'merchantId',
        'merchant',
        'provider',
        'refused',
        'paid',
        amounts('smallest'),
        amounts('largest'),
        'lastAt',
        'message',
      ]),
  }),

  'providers route list': lookCommand({
    details:
      'Where no route matches, the default provider serves the operation: SMS_PROVIDER, ' +
      'MOBILE_MONEY_PROVIDER or AIRTIME_PROVIDER.',
    fields: {},
    look: async (database) =>
      tableReport(await listRoutes(database), [
        'id',
        'kind',
        column('of', conditionsOf),
        'position',
        'provider',
        'weight',
        'is_enabled',
      ]),
  }),

  'providers route add': changeCommand({
    action: 'route add',
    details:
      'A route matches an operation if all its conditions hold. Of the matching routes, the one ' +
      'with the lowest position is asked first, and the next one only if that provider certainly ' +
      'did nothing. Routes of one position share the operations by their weights. A new route ' +
      'counts for new operations: an operation that was sent to a provider stays there.',
    fields: {
      kind: required(oneOf(...routeKinds), 'The kind of operation that the route serves'),
      provider: required(oneOf(...allProviders), 'The provider that serves the operation'),
      position: withDefault(
        wholeNumber(1, 1_000),
        'The turn of the route: the lowest one is asked first',
        1,
      ),
      weight: withDefault(wholeNumber(1, 1_000), 'Its share among routes of the position', 1),
      operator: optional(
        oneOf('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'),
        'Only numbers of this operator: of the receiver, or of the payout account',
      ),
      partner: optional(id, 'Only vouchers and top-ups of this partner'),
      merchant: optional(id, 'Only payments to this merchant, and messages about them'),
      from: optional(amountFromZero, 'Only amounts of at least this, in ETB'),
      to: optional(amountFromZero, 'Only amounts of at most this, in ETB'),
    },
    examples: [
      '--kind payout --provider gsma --position 1',
      '--kind topup-airtime --provider dt-one --operator ETHIO_TELECOM --weight 3',
      '--kind payout --provider gsma --merchant 1 --from 100 --to 5000',
    ],
    async change(transaction, input, { settings }) {
      const { kind, provider } = input;
      requireProvider(kind, provider, settings);
      requireConditions(kind, input);
      if (input.partner !== undefined) await requireSubject(transaction, 'partner', input.partner);
      if (input.merchant !== undefined)
        await requireSubject(transaction, 'merchant', input.merchant);
      const route = {
        kind,
        provider,
        position: input.position,
        weight: input.weight,
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
  }),

  'providers route remove': changeCommand({
    action: 'route remove',
    fields: { id: argument(id, 'The id of the route: see providers route list') },
    async change(transaction, input) {
      const route = routeOf(input.id, await removeRoute(transaction, input.id));
      return {
        subject: subjectOf(input.id),
        details: detailsOf(route),
        text: `Route ${input.id} of ${route.kind} to ${route.provider} is removed.`,
      };
    },
  }),

  'providers route enable': switchCommand('enable'),
  'providers route disable': switchCommand('disable'),
};

/** The conditions of a route in words. */
function conditionsOf(route: RouteRow): string {
  const { operator, partner_id, merchant_id, amount_from, amount_to } = route;
  const range = [
    amount_from === null ? '' : `from ETB ${amountText(amount_from)}`,
    amount_to === null ? '' : `to ETB ${amountText(amount_to)}`,
  ].filter(Boolean);
  const parts = [
    operator?.toLowerCase().replace('_', ' '),
    partner_id === null ? undefined : `partner ${partner_id}`,
    merchant_id === null ? undefined : `merchant ${merchant_id}`,
    range.join(' ') || undefined,
  ];
  return parts.filter(Boolean).join(', ') || 'all';
}

function requireProvider(
  kind: RouteKind,
  provider: (typeof allProviders)[number],
  { providers }: AdminContext['settings'],
): void {
  if (!isFor(provider, kind))
    throw new AdminError(
      `${provider} does not serve ${kind}: choose ${routedProviders[kind].join(' or ')}.`,
    );
  if (!isProviderConfigured(providers, provider))
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

const routeOf = <Found>(routeId: number, found: Found | undefined): Found =>
  existing(found, `route ${routeId}`, 'providers route list');
const subjectOf = (routeId: number) => ({ kind: 'route', id: routeId });
const detailsOf = ({ id: _id, created_at: _at, ...route }: RouteRow) => route;
