import { reasons } from '../../domain/reasons.ts';
import { providerCalls, providerOutcomes } from './label-values.ts';
import type { Label, MetricDefinition } from './metric-definition.ts';
import { stateDefinitions } from './state-definitions.ts';

/** The prefix of the names of all metrics of the service. */
export const PREFIX = 'voucher_service_';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const SURFACES = ['partner', 'merchant', 'portal', 'other'] as const;

const surface: Label = { meaning: 'Who it is for', values: SURFACES };
const route: Label = {
  meaning: 'Template of the path, as in [endpoints](endpoints.md); `other` for unknown paths',
};
const provider: Label = {
  meaning: 'Adapter of the settings, such as `gsma`; `webhook`: all receivers',
};
const breakerState: Label = { meaning: 'Its state', values: ['closed', 'half-open', 'open'] };
const call: Label = { meaning: 'What was asked', values: [...providerCalls] };

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
