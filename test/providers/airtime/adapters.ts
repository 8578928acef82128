import type { AirtimeProviderName } from '../../../src/domain/providers.ts';
import type { Airtime } from '../../../src/providers/airtime/airtime.ts';
import { createDtOneAirtime } from '../../../src/providers/airtime/dt-one/client.ts';
import { createReloadlyAirtime } from '../../../src/providers/airtime/reloadly/client.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';

/** A short limit is only for a call that waits for it: a machine may hold up an answer for as long. */
interface Timing {
  readonly timeoutSeconds?: number;
  readonly settleSeconds?: number;
}

export const reloadlyAt = (
  baseUrl: string,
  {
    timeoutSeconds = 60,
    settleSeconds = 0,
    tokenUrl = `${baseUrl}/oauth/token`,
  }: Timing & {
    tokenUrl?: string;
  } = {},
): Airtime =>
  createReloadlyAirtime({
    baseUrl,
    token: {
      url: tokenUrl,
      clientId: 'client',
      clientSecret: 'secret',
      audience: 'https://topups.reloadly.com',
    },
    operatorIds: { ETHIO_TELECOM: 3001, SAFARICOM_ETHIOPIA: 3002 },
    timeoutSeconds,
    settleSeconds,
    zone: 'America/New_York',
  });

/** Every adapter for airtime, at the sandbox: the compiler demands each. */
export const airtimeAdapters = {
  'dt-one': ({ airtimeUrl }: Sandbox, { timeoutSeconds = 60 }: Timing = {}) =>
    createDtOneAirtime({
      baseUrl: airtimeUrl,
      key: 'key',
      secret: 'secret',
      rangedProducts: { ETHIO_TELECOM: 1001, SAFARICOM_ETHIOPIA: 1002 },
      timeoutSeconds,
    }),
  reloadly: ({ reloadlyUrl }: Sandbox, timing?: Timing) => reloadlyAt(reloadlyUrl, timing),
} satisfies Record<AirtimeProviderName, (sandbox: Sandbox, timing?: Timing) => Airtime>;
