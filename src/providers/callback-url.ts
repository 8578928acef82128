import type { ProviderSettings } from '../config/providers/provider-settings.ts';

/** The path of each provider's callbacks. M-Pesa may refuse addresses with its own name in them. */
const paths = { gsma: 'gsma', mpesa: 'payouts', 'dt-one': 'airtime' } as const;

/** The callback address for a provider, including its secret; undefined where we only poll. */
export function callbackUrlOf(
  { CALLBACK_URL: base, CALLBACK_SECRETS: secrets }: ProviderSettings,
  provider: keyof typeof paths,
): string | undefined {
  if (base === undefined) return undefined;
  const { [provider]: secret } = secrets;
  return [base.replace(/\/+$/, ''), paths[provider], ...(secret ? [secret] : [])].join('/');
}
