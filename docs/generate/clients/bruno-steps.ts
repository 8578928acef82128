import { voucherSettings } from '../../../src/config/settings/business-settings.ts';
import type { ClientSurface } from './client-operations.ts';

/** What a request of a collection does besides being sent. */
export interface BrunoStep {
  /** JavaScript that runs before the request. */
  readonly before?: string;
  /** JavaScript that runs after the answer: it keeps what later requests need. */
  readonly after?: string;
  /** One more request of the operation, which the sandbox refuses. */
  readonly refused?: RefusedRequest;
}

export interface RefusedRequest {
  readonly name: string;
  readonly status: number;
  /** Fields of the body in place of the example's. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly after: string;
}

const keep = (name: string, value: string): string => `bru.setVar('${name}', ${value});`;

const LOG_IN: BrunoStep = { after: keep('accessToken', 'res.body.accessToken') };

/** Claims of both surfaces: without a sandbox, the owner tells the code. */
const CLAIM: BrunoStep = {
  after: `// The simulated phone of the test environment shows the code that the owner gets.
const sandboxUrl = bru.getEnvVar('sandboxUrl');
if (sandboxUrl) {
  const owner = encodeURIComponent(bru.getEnvVar('msisdn'));
  const phone = await bru.sendRequest({
    method: 'GET',
    url: \`\${sandboxUrl}/messages?to=\${owner}\`,
    headers: { Accept: 'application/json' },
  });
  const [message] = phone.data;
  const [, code] = /^(\\d{6,8}) is your code/.exec(message.text);
  bru.setVar('verificationCode', code);
}`,
};

const PAUSE_SECONDS = voucherSettings.MESSAGE_COOLDOWN_SECONDS.parse(undefined);

/** A collection that runs in its order has just sent the code of the claim. */
const WAIT_FOR_NEXT_MESSAGE = `// An owner gets one message within ${PAUSE_SECONDS} seconds, and the claim sends one. Without the pause the
// answer is 429, and its header Retry-After tells the rest of it.
await bru.sleep(${(PAUSE_SECONDS + 1) * 1_000});`;

/** Steps of operations, by their name in the clients. */
export const brunoSteps: Readonly<Record<ClientSurface, Readonly<Record<string, BrunoStep>>>> = {
  partner: {
    logIn: LOG_IN,
    listMerchants: { after: keep('merchantId', 'res.body.data[0].id') },
    listDenominations: {
      after: `// The examples claim a part of a voucher of at least 500 ETB.
const denomination = res.body.data.find(({ amountEtb }) => amountEtb >= 500);
${keep('denominationId', 'denomination.id')}`,
    },
    listProducts: {
      after: `const prices = res.body.data
  .filter(({ metadata, productPrice }) => metadata?.operator === 'ETHIO_TELECOM' && productPrice)
  .map(({ id, productPrice }) => ({ id, price: Number(productPrice.amount) }));
const [cheapest] = prices.sort((one, other) => one.price - other.price);
${keep('productId', 'cheapest.id')}`,
    },
    generateVoucher: {
      after: `${keep('voucherCode', 'res.body.data.voucher.voucherCode')}
${keep('voucherId', 'res.body.data.voucher.id')}`,
    },
    orderVouchers: { after: keep('bulkOrderId', 'res.body.data.bulkOrder.id') },
    initiateClaim: CLAIM,
    resendMessage: { before: WAIT_FOR_NEXT_MESSAGE },
    sendPackage: {
      refused: {
        name: 'Buy a package: the operator refuses',
        status: 424,
        // The last two digits of a number decide what the sandbox does.
        body: { msisdn: '+251911234502' },
        after: keep('transactionId', 'res.body.data.transactionId'),
      },
    },
  },
  merchant: {
    logIn: LOG_IN,
    initiateClaim: CLAIM,
    listRedemptions: { after: keep('redemptionId', 'res.body.data[0].id') },
  },
};
