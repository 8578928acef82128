import type { ActivityDependencies } from '../../activities/dependencies.js';
import type { Config } from '../config/config.js';
import type { Database } from '../db/connection.js';
import { mpesaResultsIn } from '../db/reconciliation/mpesa-results.js';
import { messageTexts } from '../domain/vouchers/message-templates.js';
import type { LabelsOf } from '../process/metrics/definitions.js';
import type { Metrics } from '../process/metrics/metrics.js';
import type { Airtime } from '../providers/airtime/airtime.js';
import type { MobileMoney } from '../providers/mobile-money/mobile-money.js';
import { wrapProviders } from '../providers/provider-set.js';
import {
  createAirtimeSet,
  createEmailSender,
  createMobileMoneySet,
  createSmsSenders,
} from '../providers/registry.js';
import type { SmppSender } from '../providers/sms/smpp/client.js';
import type { SmsSender } from '../providers/sms/sms-sender.js';
import { tracing } from '../tracing/tracing.js';
import { providerAccounts } from './provider-accounts.js';

type Providers = Pick<
  ActivityDependencies,
  'smsSenders' | 'messageTexts' | 'emailSender' | 'mobileMoney' | 'airtime' | 'providerAccounts'
>;

/** Makes a call, and counts it with its outcome and its time. */
type Observe = <Result extends { readonly kind: string }>(
  call: string,
  make: () => Promise<Result>,
) => Promise<Result>;

const observerOf =
  (metrics: Metrics, provider: string): Observe =>
  async (call, make) => {
    const startedAt = performance.now();
    const note = (outcome: string) => {
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
async function traced<Result extends { readonly kind: string }>(
  provider: string,
  call: string,
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

/** The providers of the settings, with their calls counted. */
export function createProviders(
  config: Config,
  metrics: Metrics,
  { database, smpp }: { readonly database: Database; readonly smpp: SmppSender | undefined },
): Providers {
  const email = createEmailSender(config);
  const ofEmail = observerOf(metrics, config.EMAIL_PROVIDER);
  const mobileMoney = createMobileMoneySet(config, mpesaResultsIn(database));
  const airtime = createAirtimeSet(config);
  return {
    messageTexts: messageTexts(config.MESSAGE_TEMPLATES),
    smsSenders: wrapProviders(createSmsSenders(config, { smpp }), (sms, name) =>
      observedSms(sms, observerOf(metrics, name)),
    ),
    emailSender: { send: (message) => ofEmail('send', () => email.send(message)) },
    mobileMoney: wrapProviders(mobileMoney, (money, name) =>
      observedMoney(money, observerOf(metrics, name)),
    ),
    airtime: wrapProviders(airtime, (one, name) => observedAirtime(one, observerOf(metrics, name))),
    providerAccounts: providerAccounts({ mobileMoney, airtime }),
  };
}

const observedSms = (sms: SmsSender, observe: Observe): SmsSender => ({
  send: (message) => observe('send', () => sms.send(message)),
});

function observedMoney(money: MobileMoney, observe: Observe): MobileMoney {
  const { reversals } = money;
  return {
    repetition: money.repetition,
    canCarry: (amount) => money.canCarry(amount),
    pay: (payment) => observe('pay', () => money.pay(payment)),
    findPayment: (payment) => observe('find', () => money.findPayment(payment)),
    ...(reversals && {
      reversals: {
        reverse: (reversal) => observe('reverse', () => reversals.reverse(reversal)),
        findReversal: (reversal) =>
          observe('find reversal', () => reversals.findReversal(reversal)),
      },
    }),
    // Only the recovery of a restored database lists transactions, and not in a worker; statements
    // and balances are asked for through `providerAccounts`.
  };
}

const observedAirtime = (airtime: Airtime, observe: Observe): Airtime => ({
  canCarry: (amount) => airtime.canCarry(amount),
  repetition: airtime.repetition,
  canSend: (product) => airtime.canSend(product),
  send: (order) => observe('send', () => airtime.send(order)),
  findOrder: (order, lastSentAt) => observe('find', () => airtime.findOrder(order, lastSentAt)),
});

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
