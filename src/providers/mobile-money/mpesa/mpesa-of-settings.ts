import type { ProviderSettings } from '../../../config/providers/provider-settings.ts';
import { mpesaPathsAt } from '../../../domain/providers/mpesa-paths.ts';
import { callbackUrlOf } from '../../callback-url.ts';
import type { MobileMoney } from '../mobile-money.ts';
import type { MpesaResults } from './answers.ts';
import { createMpesaMobileMoney } from './client.ts';
import type { SecurityCredential } from './security-credential.ts';

/** The results of M-Pesa where nobody receives them: inquiries learn nothing. */
const noResults: MpesaResults = {
  ofPayment: async () => undefined,
  takeAnswers: async () => [],
};

/** The credential that the settings give; the rules of settings ensure one. */
function mpesaCredential(settings: ProviderSettings): SecurityCredential | undefined {
  const { MPESA_SECURITY_CREDENTIAL: ready, MPESA_CERTIFICATE: certificate } = settings;
  const { MPESA_INITIATOR_PASSWORD: password } = settings;
  if (ready !== undefined) return { ready };
  return password === undefined || certificate === undefined
    ? undefined
    : { password, certificate };
}

/** M-Pesa, or undefined where the settings do not settingsure it. */
export function mpesaOfSettings(
  settings: ProviderSettings,
  results: MpesaResults = noResults,
): MobileMoney | undefined {
  const credential = mpesaCredential(settings);
  const needed = {
    baseUrl: settings.MPESA_URL,
    key: settings.MPESA_CONSUMER_KEY,
    secret: settings.MPESA_CONSUMER_SECRET,
    shortCode: settings.MPESA_SHORT_CODE,
    initiator: settings.MPESA_INITIATOR,
    callbackUrl: callbackUrlOf(settings, 'mpesa'),
  };
  if (!isComplete(needed) || credential === undefined) return undefined;
  const { MPESA_PATHS: own } = settings;
  const paths = mpesaPathsAt(needed.baseUrl);
  return createMpesaMobileMoney(
    {
      ...needed,
      credential,
      tokenPath: own.token ?? paths.tokenPath,
      paymentPath: own.payment ?? paths.paymentPath,
      statusPath: own.status ?? paths.statusPath,
      command: 'BusinessPayment',
      timeoutSeconds: settings.PROVIDER_TIMEOUT_SECONDS,
    },
    results,
  );
}

const isComplete = <Names extends string>(
  settings: Readonly<Record<Names, string | undefined>>,
): settings is Readonly<Record<Names, string>> =>
  Object.values(settings).every((value) => value !== undefined);
