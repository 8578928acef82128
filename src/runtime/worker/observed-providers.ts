import type { Logger } from 'pino';
import type {
  AccountAtProvider,
  BalanceAtProvider,
} from '../../../activities/compare-statement.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../db/connection.ts';
import type { ProviderState } from '../../db/providers.ts';
import { mpesaResultsIn } from '../../db/reconciliation.ts';
import { messageTexts } from '../../domain/vouchers/messages.ts';
import type { Airtime } from '../../providers/airtime/airtime.ts';
import type { Email } from '../../providers/email.ts';
import { createEmptyFloat, createProviderGuard, guardStates } from '../../providers/guard.ts';
import type { MobileMoney } from '../../providers/mobile-money/mobile-money.ts';
import { type ProviderOutcome, unknown } from '../../providers/outcome.ts';
import {
  createAirtimeSet,
  createEmailSender,
  createMobileMoneySet,
  createSmsSenders,
  type GuardedProvider,
  wrapProviders,
} from '../../providers/provider-set.ts';
import type { SmppSender } from '../../providers/sms/smpp/client.ts';
import type { SmsSender } from '../../providers/sms/sms-sender.ts';
import type { LabelsOf, ProviderCall, ProviderCallOutcome } from '../metrics/definitions.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createFairSemaphore } from '../process/fair-semaphore.ts';
import { tracing } from '../tracing/tracing.ts';

/** Makes a call, and counts it with its outcome and its time. */
type Observe = <Result extends { readonly kind: ProviderCallOutcome }>(
  call: ProviderCall,
  make: () => Promise<Result>,
) => Promise<Result>;

const observerOf =
  (metrics: Metrics, provider: string): Observe =>
  async (call, make) => {
    const startedAt = performance.now();
    const note = (outcome: ProviderCallOutcome) => {
      const labels: LabelsOf<'provider_call_duration_seconds'> = { provider, call };
      metrics.count('provider_calls_total', { ...labels, outcome });
      const seconds = (performance.now() - startedAt) / 1_000;
      metrics.observe('provider_call_duration_seconds', labels, seconds);
    };
    try {
      const result = await traced(provider, call, make);
      note(result.kind);
      return result;
    } catch (error) {
      note('failed');
      throw error;
    }
  };

/** The call as a span; its outcome is one word. */
async function traced<Result extends { readonly kind: ProviderCallOutcome }>(
  provider: string,
  call: ProviderCall,
  make: () => Promise<Result>,
): Promise<Result> {
  const traces = tracing();
  if (!traces) return make();
  const name = `${provider} ${call}`;
  return traces.inSpan({ name, kind: 'client', attributes: { provider } }, async (span) => {
    const result = await make();
    span.set({ outcome: result.kind });
    return result;
  });
}

/** The caller of webhooks, with its calls counted: a receiver that answers otherwise has refused. */
export function observedWebhooks(
  caller: ActivityDependencies['webhookCaller'],
  metrics: Metrics,
): ActivityDependencies['webhookCaller'] {
  const observe = observerOf(metrics, 'webhook');
  return {
    async call(message) {
      const { answer } = await observe('deliver', async () => {
        const answer = await caller.call(message);
        const refused = answer.status === null ? 'unknown' : 'refused';
        return { kind: answer.isDelivered ? 'delivered' : refused, answer };
      });
      return answer;
    },
  };
}

/** Our accounts at the configured providers of payments and top-ups. */
export const providerAccounts = ({
  mobileMoney,
  airtime,
}: Pick<ActivityDependencies, 'mobileMoney' | 'airtime'>): AccountAtProvider[] => [
  ...mobileMoney.names.map((name) => ({
    name,
    kind: 'mobile-money' as const,
    account: mobileMoney.named(name),
  })),
  ...airtime.names.map((name) => ({
    name,
    kind: 'airtime' as const,
    account: airtime.named(name),
  })),
];

/** Those, and our credit at the providers of messages. */
const balanceAccounts = ({
  smsSenders,
  ...providers
}: Pick<ActivityDependencies, 'smsSenders' | 'mobileMoney' | 'airtime'>): BalanceAtProvider[] => [
  ...providerAccounts(providers),
  ...smsSenders.names.map((name) => ({ name, account: smsSenders.named(name) })),
];

/** Time for which new payments and top-ups prefer other providers, after one refused for lack of our money. */
const EMPTY_MS = 300_000;

type Unknown = Extract<ProviderOutcome, { readonly kind: 'unknown' }>;

/** The calls to one provider: counted, and behind its guard. */
interface Calls {
  /** Refused by the guard, it is not sent. */
  readonly send: (
    call: ProviderCall,
    make: () => Promise<ProviderOutcome>,
  ) => Promise<ProviderOutcome>;
  /** Refused by the guard, nothing is known: the caller asks again. */
  readonly ask: <Answer extends { readonly kind: ProviderCallOutcome }>(
    call: ProviderCall,
    make: () => Promise<Answer | Unknown>,
  ) => Promise<Answer | Unknown>;
  /** The same about value, by its reference: what is answered tells whether our account has money. */
  readonly ofValue: (reference: string) => Pick<Calls, 'send' | 'ask'>;
}

/**
 * The providers of the settings, each with its calls counted, and behind a guard of its own; and what is
 * known of them now.
 */
export function createProviders(
  config: Config,
  {
    database,
    smpp,
    metrics,
    logger,
  }: {
    readonly database: Database;
    readonly smpp: SmppSender | undefined;
    readonly metrics: Metrics;
    readonly logger: Logger;
  },
) {
  const states: (() => ProviderState)[] = [];
  const guarded = <Port>(port: Port, name: string, observed: (port: Port, calls: Calls) => Port) =>
    guardedProvider(port, observed, { name, config, metrics, logger, states });
  const email = createEmailSender(config.email);
  const ofEmail = observerOf(metrics, 'smtp');
  const mobileMoney = createMobileMoneySet(config, mpesaResultsIn(database));
  const airtime = createAirtimeSet(config);
  const smsSenders = createSmsSenders(config, smpp);
  return {
    messageTexts: messageTexts(config.providers.messageTemplates),
    smsSenders: wrapProviders(smsSenders, (sms, name) => guarded(sms, name, observedSms)),
    emailSender: {
      send: (message: Email) => ofEmail('send', () => email.send(message)),
    },
    mobileMoney: wrapProviders(mobileMoney, (money, name) => guarded(money, name, observedMoney)),
    airtime: wrapProviders(airtime, (one, name) => guarded(one, name, observedAirtime)),
    providerAccounts: providerAccounts({ mobileMoney, airtime }),
    balanceAccounts: balanceAccounts({ smsSenders, mobileMoney, airtime }),
    readProviderStates: () => states.map((read) => read()),
  };
}

function guardedProvider<Port>(
  port: Port,
  observed: (port: Port, calls: Calls) => Port,
  {
    name,
    config,
    metrics,
    logger,
    states,
  }: {
    readonly name: string;
    readonly config: Config;
    readonly metrics: Metrics;
    readonly logger: Logger;
    /** Gets how to read what is known of it. */
    readonly states: (() => ProviderState)[];
  },
): GuardedProvider<Port> {
  const observe = observerOf(metrics, name);
  const guard = createProviderGuard(
    {
      places: createFairSemaphore({
        places: config.providerGuard.providerCalls,
        placesPerOwner: config.providerGuard.providerCalls,
        waitMs: config.providerGuard.providerCallWaitSeconds * 1_000,
      }),
      deadlineMs: config.providerGuard.providerDeadlineSeconds * 1_000,
      breakerCalls: config.providerGuard.providerBreakerCalls,
      breakerMs: config.providerGuard.providerBreakerSeconds * 1_000,
    },
    (state) => logger.warn({ provider: name, state }, 'The circuit breaker of a provider changed'),
  );
  metrics.beforeScrape(() => {
    const state = guard.readState();
    for (const one of guardStates)
      metrics.set('provider_breaker', { provider: name, state: one }, one === state ? 1 : 0);
  });
  const float = createEmptyFloat(name, EMPTY_MS);
  const isAvailable = () => guard.isAvailable();
  const hasMoney = () => !float.isEmpty();
  states.push(() => ({
    provider: name,
    state: guard.readState(),
    takesCalls: isAvailable(),
    hasMoney: hasMoney(),
  }));
  const nothingKnown = (message: string): Unknown => ({ kind: 'unknown', message });
  const notSent = (message: string): ProviderOutcome => ({ kind: 'not-sent', message });
  const send: Calls['send'] = (call, make) =>
    observe(call, () => guard.run(make, notSent, unknown));
  const ask: Calls['ask'] = (call, make) =>
    observe(call, () => guard.run(make, nothingKnown, nothingKnown));
  return {
    isAvailable,
    hasMoney,
    port: observed(port, {
      send,
      ask,
      ofValue: (reference) => ({
        async send(call, make) {
          const outcome = await send(call, make);
          float.noteSending(reference, outcome);
          return outcome;
        },
        async ask(call, make) {
          const answer = await ask(call, make);
          float.noteInquiry(reference, answer);
          return answer;
        },
      }),
    }),
  };
}

const observedSms = (sms: SmsSender, { send }: Calls): SmsSender => ({
  send: (message) => send('send', () => sms.send(message)),
});

function observedMoney(money: MobileMoney, { send, ask, ofValue }: Calls): MobileMoney {
  const { reversals, checkAccount, canPayTo } = money;
  return {
    ...(canPayTo && { canPayTo: (party) => canPayTo(party) }),
    ...(checkAccount && {
      checkAccount: (party) => ask('check account', () => checkAccount(party)),
    }),
    repetition: money.repetition,
    canCarry: (amount) => money.canCarry(amount),
    pay: (payment) => ofValue(payment.reference).send('pay', () => money.pay(payment)),
    findPayment: (payment, takenAs) =>
      ofValue(payment.reference).ask('find', () => money.findPayment(payment, takenAs)),
    // A reversal takes from the merchant's account.
    ...(reversals && {
      reversals: {
        reverse: (reversal) => send('reverse', () => reversals.reverse(reversal)),
        findReversal: (reversal, takenAs) =>
          ask('find reversal', () => reversals.findReversal(reversal, takenAs)),
      },
    }),
    // Only the recovery of a restored database lists transactions, and not in a worker; statements
    // and balances are asked for through `providerAccounts`.
  };
}

const observedAirtime = (airtime: Airtime, { ofValue }: Calls): Airtime => ({
  canCarry: (amount) => airtime.canCarry(amount),
  repetition: airtime.repetition,
  canSend: (product) => airtime.canSend(product),
  send: (order) => ofValue(order.reference).send('send', () => airtime.send(order)),
  findOrder: (order, lastSentAt, takenAs) =>
    ofValue(order.reference).ask('find', () => airtime.findOrder(order, lastSentAt, takenAs)),
});
