import { caseReasons, caseTitle } from '../../domain/positions/words.ts';
import { unpaidStates } from '../../domain/providers/payout-account.ts';
import { mobileMoneyProviderNames } from '../../domain/providers/provider-names.ts';
import { allProviders } from '../../domain/providers/routes.ts';
import {
  emailQueues,
  holdAges,
  holdKinds,
  neededStates,
  outboxes,
  scheduleNames,
} from './label-values.ts';
import type { Label, MetricDefinition } from './metric-definition.ts';

const kind: Label = { meaning: 'What the money is on hold for', values: holdKinds };
const age: Label = { meaning: 'Time since the hold', values: Object.keys(holdAges) };
const outbox: Label = {
  meaning: Object.entries(outboxes)
    .map(([name, text]) => `\`${name}\`: ${text}`)
    .join('; '),
  values: Object.keys(outboxes),
};
const schedule: Label = { meaning: 'The Schedule', values: scheduleNames };
const anyProvider: Label = { meaning: 'The provider', values: allProviders };

/** The metrics of what stands in the database and in Temporal, which every worker reads. */
export const stateDefinitions = {
  holds: {
    kind: 'gauge',
    help: 'Payments, top-ups and reversals that have not come to their end',
    home: 'worker',
    labels: { kind, age },
  },
  money_on_hold_birr: {
    kind: 'gauge',
    help: 'Money of these, in ETB',
    home: 'worker',
    labels: { kind, age },
  },
  oldest_hold_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest of these; 0 without any',
    home: 'worker',
    labels: { kind },
  },
  wallets_below_threshold: {
    kind: 'gauge',
    help: 'Wallets of active partners whose balance is below the threshold that is set for them',
    home: 'worker',
    labels: { wallet: { meaning: 'The wallet', values: ['gift', 'airtime'] } },
  },
  open_cases: {
    kind: 'gauge',
    help: 'Cases that a person must settle',
    home: 'worker',
    labels: {
      why: {
        meaning: caseReasons
          .map((why) => `\`${why}\`: ${caseTitle(why, 1n).toLowerCase()}`)
          .join('; '),
        values: caseReasons,
      },
    },
  },
  payout_accounts_refused: {
    kind: 'gauge',
    help:
      'Payout accounts of merchants that a provider refuses, or whose registered holder nobody has ' +
      'confirmed, so that nothing is paid to them',
    home: 'worker',
    labels: {
      provider: { meaning: 'The provider', values: mobileMoneyProviderNames },
      state: {
        meaning:
          '`closed`: it does not exist, or takes no money; `name-differs`: somebody else holds it than ' +
          'an operator registered; `not-offered`: the provider does not tell the registered holder, and ' +
          'neither another provider nor an operator has confirmed it',
        values: unpaidStates,
      },
    },
  },
  provider_balance: {
    kind: 'gauge',
    help: 'Our balance at a provider, as last read, in the currency of the account',
    home: 'worker',
    labels: { provider: anyProvider },
  },
  provider_balance_minimum: {
    kind: 'gauge',
    help: 'Balance below which an alarm is raised',
    home: 'worker',
    labels: { provider: anyProvider },
  },
  provider_balance_read_timestamp_seconds: {
    kind: 'gauge',
    help: 'Unix time at which the provider last said our balance; before the first time, at which the worker started',
    home: 'worker',
    labels: { provider: anyProvider },
  },
  provider_balance_interval_seconds: {
    kind: 'gauge',
    help: 'Time between two readings of balances',
    home: 'worker',
    labels: {},
  },
  outbox_waiting: {
    kind: 'gauge',
    help: 'What waits for a worker; counted up to 10,000',
    home: 'worker',
    labels: { outbox },
  },
  outbox_oldest_seconds: {
    kind: 'gauge',
    help: 'Time for which the oldest of these has waited; 0 without any',
    home: 'worker',
    labels: { outbox },
  },
  repairs_to_confirm: {
    kind: 'gauge',
    help: 'Repairs that wait for the confirmation of a second person',
    home: 'worker',
    labels: {},
  },
  emails_undelivered: {
    kind: 'gauge',
    help: 'E-mails that the mail server refused, or that were given up, within the last day',
    home: 'worker',
    labels: {
      queue: { meaning: 'What the e-mails are about', values: emailQueues },
    },
  },
  needs_action: {
    kind: 'gauge',
    help: 'Workflows that need a person: `NeedsAction = true` in the Temporal UI',
    home: 'worker',
    labels: {
      state: {
        meaning: '`running`; `failed`: it ended so within the last day',
        values: neededStates,
      },
    },
  },
  schedule_last_run_timestamp_seconds: {
    kind: 'gauge',
    help: 'Unix time at which the last run began',
    home: 'worker',
    labels: { schedule },
  },
  schedule_last_run_succeeded: {
    kind: 'gauge',
    help: '1 if the last run that has ended succeeded; 0 if it failed, for example because the books do not agree',
    home: 'worker',
    labels: { schedule },
  },
  schedule_interval_seconds: {
    kind: 'gauge',
    help: 'Time between two runs',
    home: 'worker',
    labels: { schedule },
  },
  state_read_timestamp_seconds: {
    kind: 'gauge',
    help: 'Unix time at which the values of a source were last read',
    home: 'worker',
    labels: {
      source: {
        meaning: 'PostgreSQL (holds, wallets, outboxes), or Temporal (Schedules, cases)',
        values: ['database', 'temporal'],
      },
    },
  },
} as const satisfies Record<string, MetricDefinition>;
