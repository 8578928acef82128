import { MerchantClient, PartnerClient } from '../clients/typescript/src/index.ts';
import { merchantRoutes } from '../src/merchant/routes.ts';
import {
  deposit,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../test/support/companies.ts';
import { makeTopupProducts } from '../test/support/topups.ts';
import { type BenchCall, type Calls, inTurn, post } from './run-load.ts';
import type { Service } from './service.ts';

/** Enough for ten million vouchers, or twenty million top-ups. */
const WALLET = '1000000000';

/** A new partner whose gift wallet no benchmark empties. */
export const makeSeller = (service: Service): Promise<TestPartner> =>
  makePartner(service, { giftWallet: WALLET });

/** Gives a partner what top-ups need; the body of one. */
export async function prepareTopups(
  service: Service,
  partner: TestPartner,
  { amount, msisdn }: { readonly amount: number; readonly msisdn: string },
) {
  await makeTopupProducts(service, partner);
  await deposit(service, partner.id, WALLET, 'airtime');
  return { amount, msisdn, exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };
}

/**
 * Calls of one endpoint by so many new partners, which are logged in; a lane stays with its partner.
 * `prepare` gives a partner what it needs and returns the body of its calls.
 */
export async function partnerCalls(
  service: Service,
  options: Pick<BenchCall, 'isDone'> & {
    readonly partners: number;
    /** Below the base path of the partner API. */
    readonly path: string;
    readonly prepare: (partner: TestPartner) => Promise<object>;
  },
): Promise<Calls> {
  const { partners, path, prepare, ...expectation } = options;
  const calls = await Promise.all(
    Array.from({ length: partners }, async (): Promise<BenchCall> => {
      const partner = await makeSeller(service);
      const content = await prepare(partner);
      const headers = await partnerHeaders(service, partner);
      return { ...post(`${service.url}/api/v1/client${path}`, content, headers), ...expectation };
    }),
  );
  return inTurn(calls);
}

/** Logs a partner in; what its calls are sent with. */
export const partnerHeaders = async (
  service: Pick<Service, 'url'>,
  partner: TestPartner,
): Promise<BenchCall['headers']> => ({
  'x-api-token': await clientOf(service, partner).accessToken(),
});

/** The client of a partner, for what is not measured; it sends each request once. */
export const clientOf = ({ url }: Pick<Service, 'url'>, { apiKey }: TestPartner): PartnerClient =>
  new PartnerClient({ baseUrl: `${url}/api/v1/client`, apiKey, attempts: 1 });

/** Logs a merchant in; what its calls are sent with. */
export async function merchantHeaders(
  { url }: Pick<Service, 'url'>,
  { apiKey, privateKey }: TestMerchant,
): Promise<BenchCall['headers']> {
  const baseUrl = url + merchantRoutes.basePath;
  const client = new MerchantClient({ baseUrl, apiKey, privateKey });
  return { 'x-api-token': await client.accessToken() };
}
