import { call } from '../test/support/clients.js';
import { makePartner, type TestPartner } from '../test/support/companies.js';
import type { Call, Calls } from './run-load.js';
import type { Service } from './service.js';

/**
 * Calls of one endpoint by so many new partners, which are logged in; a lane stays with its partner.
 * `prepare` gives a partner what it needs and returns the body of its calls.
 */
export async function partnerCalls(
  service: Service,
  options: Pick<Call, 'isDone'> & {
    readonly partners: number;
    /** Below the base path of the partner API. */
    readonly path: string;
    readonly prepare: (partner: TestPartner) => Promise<object>;
  },
): Promise<Calls> {
  const { partners, path, prepare, ...expectation } = options;
  const base = `${service.url}/api/v1/client`;
  const calls = await Promise.all(
    Array.from({ length: partners }, async (): Promise<Call> => {
      const partner = await makePartner(service);
      const body = JSON.stringify(await prepare(partner));
      const login = await call(`${base}/auth/login`, { body: { key: partner.apiKey } });
      const headers = {
        'Content-Type': 'application/json',
        'x-api-token': String(login.body.accessToken),
      };
      return { url: base + path, headers, body, ...expectation };
    }),
  );
  return (lane) => {
    const next = calls[lane % calls.length];
    if (!next) throw new RangeError('There are no partners');
    return next;
  };
}
