import { MerchantClient, PartnerClient } from '../clients/typescript/src/index.ts';
import { merchantRoutes } from '../src/merchant/routes.ts';
import { makePartner, type TestMerchant, type TestPartner } from '../test/support/companies.ts';
import type { BenchCall, Calls } from './run-load.ts';
import type { Service } from './service.ts';

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
      const partner = await makePartner(service);
      const body = JSON.stringify(await prepare(partner));
      const token = await partnerHeaders(service, partner);
      const headers = { 'Content-Type': 'application/json', ...token };
      return { url: `${service.url}/api/v1/client${path}`, headers, body, ...expectation };
    }),
  );
  return (lane) => {
    const next = calls[lane % calls.length];
    if (!next) throw new RangeError('There are no partners');
    return next;
  };
}

/** Logs a partner in; what its calls are sent with. */
export const partnerHeaders = async (
  service: Pick<Service, 'url'>,
  partner: TestPartner,
): Promise<Readonly<Record<string, string>>> => ({
  'x-api-token': await clientOf(service, partner).accessToken(),
});

/** The client of a partner, for what is not measured; it sends each request once. */
export const clientOf = ({ url }: Pick<Service, 'url'>, { apiKey }: TestPartner): PartnerClient =>
  new PartnerClient({ baseUrl: `${url}/api/v1/client`, apiKey, attempts: 1 });

/** Logs a merchant in; its access token. */
export const merchantToken = (
  { url }: Pick<Service, 'url'>,
  { apiKey, privateKey }: TestMerchant,
): Promise<string> =>
  new MerchantClient({
    baseUrl: `${url}${merchantRoutes.basePath}`,
    apiKey,
    privateKey,
  }).accessToken();
