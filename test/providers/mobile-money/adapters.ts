import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { readMpesaResult } from '../../../src/callbacks/mpesa.ts';
import type { NewMpesaResult } from '../../../src/db/reconciliation.ts';
import type { MobileMoneyProviderName } from '../../../src/domain/providers.ts';
import { createGsmaMobileMoney } from '../../../src/providers/mobile-money/gsma/client.ts';
import type { MobileMoney, Payment } from '../../../src/providers/mobile-money/mobile-money.ts';
import { createMpesaMobileMoney } from '../../../src/providers/mobile-money/mpesa/client.ts';
import type { MpesaResults } from '../../../src/providers/mobile-money/mpesa/transformers.ts';
import { startRawServer } from '../raw-server.ts';
import { rememberingMoney } from '../remembering.ts';

export interface TestAdapter {
  readonly money: MobileMoney;
  close(): Promise<void>;
}

/** Every adapter of mobile money: the compiler demands each. */
const starters: Readonly<
  Record<
    MobileMoneyProviderName,
    (sandboxUrl: string, timeoutSeconds: number) => Promise<TestAdapter>
  >
> = {
  async gsma(sandboxUrl, timeoutSeconds) {
    const baseUrl = `${sandboxUrl}/gsma/v1.2/mm`;
    const money = createGsmaMobileMoney({ baseUrl, account: '2999', timeoutSeconds });
    return { money, close: async () => undefined };
  },
  mpesa: startMpesa,
};

export const adapterNames = Object.keys(starters) as MobileMoneyProviderName[];

/**
 * An adapter of mobile money at the address of a sandbox, or of a way to one. A short limit is only for a
 * call that waits for it: a machine may hold up an answer for as long.
 */
export async function startAdapter(
  name: MobileMoneyProviderName,
  sandboxUrl: string,
  timeoutSeconds = 60,
): Promise<TestAdapter> {
  const adapter = await starters[name](sandboxUrl, timeoutSeconds);
  return { ...adapter, money: rememberingMoney(adapter.money) };
}

async function startMpesa(sandboxUrl: string, timeoutSeconds: number): Promise<TestAdapter> {
  const inbox = await startInbox();
  const money = createMpesaMobileMoney(
    {
      ...mpesaSettings,
      baseUrl: `${sandboxUrl}/mpesa`,
      callbackUrl: inbox.url,
      timeoutSeconds,
    },
    inbox.results,
  );
  return {
    money: {
      ...money,
      pay(payment) {
        inbox.expect(payment);
        return money.pay(payment);
      },
    },
    close: inbox.close,
  };
}

const mpesaSettings = {
  tokenPath: '/oauth/v1/generate',
  paymentPath: '/mpesa/b2c/v3/paymentrequest',
  statusPath: '/mpesa/transactionstatus/v1/query',
  key: 'key',
  secret: 'secret',
  shortCode: '600992',
  initiator: 'testapi',
  credential: 'credential',
};

/** Takes the results of M-Pesa as the service does, and keeps them in memory. */
async function startInbox() {
  const payments = new Map<string, Payment>();
  const received: (NewMpesaResult & { isUsed?: true })[] = [];
  const server = await startRawServer((request, response) => {
    json(request).then((body) => {
      const [, kind = '', reference = ''] = request.url?.split('/') ?? [];
      const payment = payments.get(reference);
      const result =
        payment &&
        (kind === 'payment' || kind === 'inquiry') &&
        readMpesaResult(kind, reference, body, payment);
      const isNew =
        result && !received.some(({ conversationId: id }) => id === result.conversationId);
      if (isNew) received.push(result);
      response.writeHead(200).end();
    });
  });
  const of = (kind: NewMpesaResult['kind'], reference: string) =>
    received.filter((one) => one.kind === kind && one.reference === reference).toReversed();
  const results: MpesaResults = {
    ofPayment: async (reference) => {
      const [told] = of('payment', reference);
      return told && { ...told, isOverruled: false };
    },
    takeAnswers: async (reference) =>
      of('inquiry', reference)
        .filter(({ isUsed }) => !isUsed)
        .map((answer) => Object.assign(answer, { isUsed: true as const })),
  };
  return {
    url: server.url,
    results,
    expect: (payment: Payment) => payments.set(payment.reference, payment),
    close: server.close,
  };
}

/** A payment of whole birr to a number. */
export const paymentTo = (number: string): Payment => ({
  reference: randomUUID(),
  amount: '97.000000',
  currency: 'ETB',
  payee: [{ key: 'msisdn', value: number }],
  description: 'Voucher redemption',
});
