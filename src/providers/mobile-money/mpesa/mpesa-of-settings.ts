import { mpesaPathsAt } from '../../../domain/providers/mpesa-paths.ts';
import { callbackUrlOf } from '../../callback-url.ts';
import type { SettingsOf } from '../../settings-of.ts';
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
function mpesaCredential(config: SettingsOf<'MPESA'>): SecurityCredential | undefined {
  const { MPESA_SECURITY_CREDENTIAL: ready, MPESA_CERTIFICATE: certificate } = config;
  const { MPESA_INITIATOR_PASSWORD: password } = config;
  if (ready !== undefined) return { ready };
  return password === undefined || certificate === undefined
    ? undefined
    : { password, certificate };
}

/** M-Pesa, or undefined where the settings do not configure it. */
export function mpesaOfSettings(
  config: SettingsOf<'MPESA'>,
  results: MpesaResults = noResults,
): MobileMoney | undefined {
  const credential = mpesaCredential(config);
  const needed = {
    baseUrl: config.MPESA_URL,
    key: config.MPESA_CONSUMER_KEY,
    secret: config.MPESA_CONSUMER_SECRET,
    shortCode: config.MPESA_SHORT_CODE,
    initiator: config.MPESA_INITIATOR,
    callbackUrl: callbackUrlOf(config.MPESA_CALLBACK_URL, config.MPESA_CALLBACK_SECRET ?? ''),
  };
  if (!isComplete(needed) || credential === undefined) return undefined;
  const paths = mpesaPathsAt(needed.baseUrl);
  return createMpesaMobileMoney(
    {
      ...needed,
      credential,
      tokenPath: config.MPESA_TOKEN_PATH ?? paths.tokenPath,
      paymentPath: config.MPESA_PAYMENT_PATH ?? paths.paymentPath,
      statusPath: config.MPESA_STATUS_PATH ?? paths.statusPath,
      command: config.MPESA_COMMAND,
      timeoutSeconds: config.MPESA_TIMEOUT_SECONDS,
    },
    results,
  );
}

const isComplete = <Names extends string>(
  settings: Readonly<Record<Names, string | undefined>>,
): settings is Readonly<Record<Names, string>> =>
  Object.values(settings).every((value) => value !== undefined);
