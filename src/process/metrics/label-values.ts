/** The ages of holds, as upper bounds in seconds. */
export const holdAges = {
  'under 1m': 60,
  '1m to 10m': 600,
  '10m to 1h': 3_600,
  '1h to 1d': 86_400,
  'over 1d': Number.POSITIVE_INFINITY,
} as const;
export type HoldAge = keyof typeof holdAges;

/** What money is on hold for. */
export const holdKinds = ['payment', 'top-up', 'reversal'] as const;

/** What waits in the database for a worker. */
export const outboxes = {
  events: 'events without a number',
  webhooks: 'webhooks that are due, without a workflow that has put them off',
  messages: 'text messages to owners that are neither sent nor given up',
  'invitation-messages': 'messages of invitations that are neither sent nor given up',
  invitations: 'invitations of merchants that no workflow has taken up',
  'top-up-retries': 'retries of top-ups that no workflow has taken up',
  'operator-retries': 'retries of top-ups by operators that no workflow has taken up',
  repairs: 'repairs that no workflow has begun',
  'access-notices': 'e-mails about access that are not sent',
  statements: 'e-mails with monthly statements that are neither sent nor given up',
  'day-reports': 'e-mails with day reports that are neither sent nor given up',
} as const;

/** The Schedules that metrics tell of. */
export const scheduleNames = [
  'sweep',
  'reconciliation',
  'books',
  'statements',
  'day-reports',
] as const;
export type ScheduleName = (typeof scheduleNames)[number];

/** Whether a workflow that needs a person still runs, or has failed within the last day. */
export const neededStates = ['running', 'failed'] as const;

/** The e-mails about a closed period. */
export const emailQueues = ['statements', 'day-reports'] as const;

/** What providers are asked. */
export const providerCalls = [
  ...['send', 'pay', 'check account', 'find', 'reverse', 'find reversal', 'deliver'],
] as const;
export type ProviderCall = (typeof providerCalls)[number];

/** What is known after a call to a provider. */
export const providerOutcomes = [
  ...['delivered', 'refused', 'not-sent', 'unknown', 'never-seen', 'failed'],
  ...['open', 'closed', 'not-offered'],
] as const;
export type ProviderCallOutcome = (typeof providerOutcomes)[number];
