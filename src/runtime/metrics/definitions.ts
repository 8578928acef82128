import { unpaidStates } from '../../domain/payout-account.ts';
import { caseReasons, caseTitle } from '../../domain/positions/case-texts.ts';
import { allProviders, mobileMoneyProviderNames } from '../../domain/providers.ts';
import { reasons } from '../../domain/reasons.ts';

/** The ages of holds, as upper bounds in seconds. */
export const holdAges = {
  'under 1m': 60,
  '1m to 10m': 600,
  '10m to 1h': 3_600,
  '1h to 1d': 86_400,
  'over 1d': Number.POSITIVE_INFINITY,
} as const;
export type HoldAge = keyof typeof holdAges;

/** The operations that put money on hold. */
export const holdKinds = ['payment', 'top-up', 'reversal'] as const;

/** The rows that wait in the database for a worker. */
export const outboxes = {
  events: 'Events without a number',
  webhooks: 'Webhooks with something to deliver, whose workflow does not do it',
  codes: 'Codes to owners that are neither sent nor given up',
  messages:
    'Other text messages to owners, apart from reminders, that are neither sent nor given up',
  'top-up-retries': 'Retries of top-ups that no workflow has taken up',
  repairs: 'Repairs that no workflow has begun',
  'access-notices': 'E-mails about access that are not sent',
  invitations: 'Messages of invitations that are neither sent nor given up',
  statements: 'E-mails with monthly statements that are neither sent nor given up',
  'day-reports': 'E-mails with day reports that are neither sent nor given up',
  'switched-off-webhooks': 'E-mails about switched-off webhooks that are not sent',
} as const;

/** The Schedules that metrics tell of. */
const scheduleNames = ['expiry', 'reconciliation', 'books', 'archive', 'statements'] as const;
export type ScheduleName = (typeof scheduleNames)[number];

/** Whether a workflow that needs a person still runs, or has failed within the last day. */
export const neededStates = ['running', 'failed'] as const;

/** The subjects of e-mails of the outbox. */
export const emailQueues = [
  ...['access-notices', 'invitations', 'statements', 'day-reports', 'switched-off-webhooks'],
] as const;

/** The calls to providers. */
const providerCalls = [
  ...['send', 'pay', 'check account', 'find', 'reverse', 'find reversal', 'deliver'],
] as const;
export type ProviderCall = (typeof providerCalls)[number];

/** The outcome of a call to a provider. */
const providerOutcomes = [
  ...['delivered', 'refused', 'not-sent', 'unknown', 'never-seen', 'failed'],
  ...['open', 'closed', 'not-offered'],
] as const;
export type ProviderCallOutcome = (typeof providerOutcomes)[number];

/** Which process has a metric. */
type Home = 'API' | 'worker' | 'API and worker';

interface Label {
  readonly meaning: string;
  /** All values, where the service itself names them; every other value becomes `other`. */
  readonly values?: readonly string[];
}

/** The declaration of a metric; the registry, the document and the tests are derived from it. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly home: Home;
  readonly labels: Readonly<Record<string, Label>>;
  /** Upper bounds in seconds. */
  readonly buckets?: readonly number[];
}

const kind: Label = { meaning: 'Operation that put the money on hold', values: holdKinds };
const age: Label = { meaning: 'Time since the hold', values: Object.keys(holdAges) };
const outbox: Label = {
  meaning: Object.entries(outboxes)
    .map(([name, text]) => `\`${name}\`: ${text}`)
    .join('. '),
  values: Object.keys(outboxes),
};
const schedule: Label = { meaning: 'The Schedule', values: scheduleNames };
const anyProvider: Label = { meaning: 'The provider', values: allProviders };

const stateGauge = <const Labels extends MetricDefinition['labels'] = Record<never, never>>(
  help: string,
  labels: Labels = {} as Labels,
) => ({ kind: 'gauge', help, home: 'worker', labels }) as const;

/** The metrics of what stands in the database and in Temporal, which every worker reads. */
const stateDefinitions = {
  holds: stateGauge('Payments, top-ups and reversals that have not come to their end', {
    kind,
    age,
  }),
  money_on_hold_birr: stateGauge('Money of these, in ETB', { kind, age }),
  oldest_hold_seconds: stateGauge('Age of the oldest of these; 0 without any', { kind }),
  wallets_below_threshold: stateGauge(
    'Wallets of active partners whose balance is below the threshold that is set for them',
    { wallet: { meaning: 'The wallet', values: ['gift', 'airtime'] } },
  ),
  open_cases: stateGauge('Cases that a person must settle', {
    why: {
      meaning: caseReasons.map((why) => `\`${why}\`: ${caseTitle({ why })}`).join('. '),
      values: caseReasons,
    },
  }),
  suspense_birr: stateGauge(
    'Money in suspense, in ETB: a provider did otherwise than we booked, and no side bears the difference yet',
  ),
  payout_accounts_refused: stateGauge(
    'Payout accounts of merchants that get no payment: a provider refuses the account, or its registered ' +
      'holder is not confirmed',
    {
      provider: { meaning: 'The provider', values: mobileMoneyProviderNames },
      state: {
        meaning:
          '`closed`: The account does not exist, or takes no money. `name-differs`: The account has another ' +
          'holder than an operator registered. `not-offered`: The provider does not tell the registered holder, ' +
          'and neither another provider nor an operator has confirmed the holder',
        values: unpaidStates,
      },
    },
  ),
  provider_balance: stateGauge(
    'Our balance at a provider, as last read, in the currency of the account',
    { provider: anyProvider },
  ),
  provider_balance_minimum: stateGauge('Balance below which an alarm is raised', {
    provider: anyProvider,
  }),
  provider_balance_read_timestamp_seconds: stateGauge(
    'Unix time at which the provider last told our balance; before the first time, the start of the worker',
    { provider: anyProvider },
  ),
  provider_balance_interval_seconds: stateGauge('Time between two readings of balances'),
  outbox_waiting: stateGauge('Entries that wait for a worker; counted up to 10,000', { outbox }),
  outbox_oldest_seconds: stateGauge(
    'Time for which the oldest of these has waited; 0 without any',
    { outbox },
  ),
  repairs_to_confirm: stateGauge('Repairs that wait for the confirmation of a second person'),
  emails_undelivered: stateGauge(
    'E-mails that the mail server refused, or that were given up, within the last day',
    {
      queue: { meaning: 'What the e-mails are about', values: emailQueues },
    },
  ),
  needs_action: stateGauge(
    'Workflows that need a person: `NeedsAction = true` in the Temporal UI',
    {
      state: {
        meaning: '`running`; `failed`: it ended so within the last day',
        values: neededStates,
      },
    },
  ),
  schedule_last_run_timestamp_seconds: stateGauge(
    'Unix time at which the last run began, or at which it last continued as new',
    { schedule },
  ),
  schedule_last_run_succeeded: stateGauge(
    '1 if the last run that has ended succeeded; 0 if it failed, for example because the books do not agree',
    { schedule },
  ),
  schedule_interval_seconds: stateGauge('Time between two runs', { schedule }),
  state_read_timestamp_seconds: stateGauge(
    'Unix time at which the values of a source were last read, or of the start',
    {
      source: {
        meaning: 'PostgreSQL (holds, wallets, outboxes), or Temporal (Schedules, cases)',
        values: ['database', 'temporal'],
      },
    },
  ),
} as const satisfies Record<string, MetricDefinition>;

/** The prefix of the names of all metrics of the service. */
export const PREFIX = 'voucher_service_';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const SURFACES = ['partner', 'merchant', 'portal', 'other'] as const;

const surface: Label = { meaning: 'Audience', values: SURFACES };
const route: Label = {
  meaning: 'Template of the path, as in [endpoints](endpoints.md); `other` for unknown paths',
};
const provider: Label = {
  meaning: 'Adapter of the settings, such as `gsma`; `webhook`: all receivers',
};
const breakerState: Label = { meaning: 'Its state', values: ['closed', 'half-open', 'open'] };
const call: Label = { meaning: 'Call to the provider', values: [...providerCalls] };

/** Every metric of the service itself, by its name without the prefix. */
export const definitions = {
  http_requests_total: {
    kind: 'counter',
    help: 'Requests that were answered',
    home: 'API',
    labels: {
      surface,
      route,
      method: { meaning: 'Method of HTTP', values: METHODS },
      status: { meaning: 'Status of HTTP' },
      reason: {
        meaning: 'Reason of a refusal or failure, as in [errors](errors.md); `none` for a success',
        values: ['none', ...Object.keys(reasons)],
      },
    },
  },
  http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the first line of a request to its answer',
    home: 'API',
    labels: { surface, route },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  database_pool_connections: {
    kind: 'gauge',
    help: 'Connections to PostgreSQL, and requests that wait for one',
    home: 'API and worker',
    labels: {
      pool: { meaning: 'The pool', values: ['api', 'lists', 'worker'] },
      state: { meaning: 'State', values: ['busy', 'idle', 'waiting', 'limit'] },
    },
  },
  clock_offset_seconds: {
    kind: 'gauge',
    help: 'By how much the clock of the process is ahead of that of the database; negative: behind',
    home: 'API and worker',
    labels: {},
  },
  provider_calls_total: {
    kind: 'counter',
    help: 'Calls to providers and to receivers of webhooks',
    home: 'worker',
    labels: {
      provider,
      call,
      outcome: {
        meaning:
          'What is known after the call ([providers](providers.md)); `failed`: the adapter failed',
        values: [...providerOutcomes],
      },
    },
  },
  provider_breaker: {
    kind: 'gauge',
    help: 'State of the circuit breaker of a provider in this process: 1 for the present one',
    home: 'worker',
    labels: { provider, state: breakerState },
  },
  provider_call_duration_seconds: {
    kind: 'histogram',
    help: 'Time of a call to a provider',
    home: 'worker',
    labels: { provider, call },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40],
  },
  ...stateDefinitions,
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof definitions;
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<keyof (typeof definitions)[Name]['labels'], string>
>;
