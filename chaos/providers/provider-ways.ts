import { allProviders, type ProviderName } from '../../src/domain/providers.ts';
import type { Stops } from '../../src/local/start/stops.ts';
import { type CuttableWay, makeCuttableWay } from '../../test/end-to-end/faults/provider-outage.ts';
import type { ThrowawayServices } from '../../test/harness/throwaway-services.ts';

/** The settings with the addresses of each provider. */
const ADDRESSES: Readonly<Record<ProviderName, readonly string[]>> = {
  'africas-talking': ['SMS_URL'],
  smpp: ['SMPP_URL'],
  gsma: ['MOBILE_MONEY_URL', 'MOBILE_MONEY_TOKEN_URL'],
  mpesa: ['MPESA_URL'],
  'dt-one': ['AIRTIME_URL'],
  reloadly: ['RELOADLY_URL', 'RELOADLY_TOKEN_URL'],
};

export type ProviderWays = Readonly<Record<ProviderName, CuttableWay>>;

/**
 * A way of its own to each provider, so that one may fail while the others work, and the settings that
 * lead over it.
 */
export async function makeProviderWays(
  services: Pick<ThrowawayServices, 'settings'>,
  stops: Stops,
): Promise<{ readonly settings: Readonly<Record<string, string>>; readonly ways: ProviderWays }> {
  const settings: Record<string, string> = {};
  const ways: Partial<Record<ProviderName, CuttableWay>> = {};
  for (const provider of allProviders) {
    const way = await makeCuttableWay();
    stops.add(() => way.close());
    ways[provider] = way;
    for (const name of ADDRESSES[provider]) {
      const address = new URL(services.settings[name] ?? '');
      way.setTarget(address.href);
      address.hostname = '127.0.0.1';
      address.port = new URL(way.url).port;
      settings[name] = address.href.replace(/\/$/, '');
    }
  }
  return { settings, ways: ways as ProviderWays };
}
