import type { ClientSettings } from '../../clients/typescript/src/index.ts';
import { MerchantClient, PartnerClient } from '../../clients/typescript/src/index.ts';
import {
  deposit,
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../support/companies.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { makeTopupProducts, type TopupProducts } from '../support/topups.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** A service, a way to it that can be spoilt, and companies whose clients go that way. */
export interface ClientScene {
  readonly stack: Stack;
  readonly proxy: FaultProxy;
  readonly partner: TestPartner;
  readonly merchant: TestMerchant;
  readonly products: TopupProducts;
  readonly partnerClient: (settings?: Partial<ClientSettings>) => PartnerClient;
  readonly merchantClient: (settings?: Partial<ClientSettings>) => MerchantClient;
  /** The code of a new voucher of 500 ETB for the merchant; of OWNER unless told. */
  readonly newVoucher: (msisdn?: string | null) => Promise<string>;
  /** The requests to a path that some work makes. */
  readonly requestsDuring: (
    path: string,
    work: () => Promise<unknown>,
  ) => Promise<ReturnType<FaultProxy['requestsTo']>>;
  stop(): Promise<void>;
}

export async function startClientScene(): Promise<ClientScene> {
  const stack = await startStack();
  const proxy = await startFaultProxy(stack.url);
  const partner = await makePartner(stack);
  const products = await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  const merchant = await makeMerchant(stack);
  // Pauses that a test has to see, not to wait for.
  const common = { firstPauseSeconds: 0.02 };
  const partnerClient = (settings?: Partial<ClientSettings>) =>
    new PartnerClient({
      baseUrl: `${proxy.url}/api/v1/client`,
      apiKey: partner.apiKey,
      ...common,
      ...settings,
    });
  const partners = partnerClient();
  return {
    stack,
    proxy,
    partner,
    merchant,
    products,
    partnerClient,
    merchantClient: (settings) =>
      new MerchantClient({
        baseUrl: `${proxy.url}/api/v1/merchant/client`,
        apiKey: merchant.apiKey,
        privateKey: merchant.privateKey,
        ...common,
        ...settings,
      }),
    async newVoucher(msisdn = OWNER) {
      const { voucher } = await partners.vouchers.generate({
        denominationId: partner.denominations[500],
        merchantId: merchant.id,
        msisdn,
      });
      return voucher.voucherCode;
    },
    async requestsDuring(path, work) {
      const before = proxy.requestsTo(path).length;
      await work();
      return proxy.requestsTo(path).slice(before);
    },
    async stop() {
      await proxy.close();
      await stack.stop();
    },
  };
}

/** The owner of vouchers, and the number of top-ups. */
export const OWNER = '+251911000000';

/** The page of a proxy in place of an answer. */
export const HTML: Fault = { status: 502, body: '<html>Bad gateway</html>' };
/** The JSON of a proxy. */
export const NO_ENVELOPE: Fault = { status: 502, body: '{"error":"no upstream"}' };

export const distinct = (values: readonly unknown[]): number => new Set(values).size;

/** The sale of every top-up. */
export const SALE = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' } as const;
