import type { StartConfig } from '../config/config.ts';
import { smscPassword } from '../sandbox/smpp/smsc.ts';
import type { startSandbox } from '../sandbox/start-sandbox.ts';

/** Signs the callbacks of Reloadly in the sandbox. */
export const reloadlyWebhookSecret = 'sandbox-webhook-secret';
const SENDER = 'Voucher service <vouchers@sandbox.test>';

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Providers with an address of their own are not those of the sandbox. */
type Given = Pick<
  StartConfig,
  | 'PORT'
  | 'SMS_URL'
  | 'SMPP_URL'
  | 'SMTP_URL'
  | 'MOBILE_MONEY_URL'
  | 'MPESA_URL'
  | 'AIRTIME_URL'
  | 'RELOADLY_URL'
>;

/** The settings of the sandbox's providers, which report to the service on this machine. */
export const sandboxSettings = (
  given: Given,
  sandbox: Sandbox,
): Readonly<Record<string, string>> => ({
  SANDBOX_URL: sandbox.url,
  ...(given.SMS_URL ? {} : { SMS_URL: sandbox.smsUrl, SMS_API_KEY: 'sandbox' }),
  ...(given.SMPP_URL
    ? {}
    : { SMPP_URL: sandbox.smppUrl, SMPP_SYSTEM_ID: 'sandbox', SMPP_PASSWORD: smscPassword }),
  ...(given.SMTP_URL ? {} : { SMTP_URL: sandbox.smtpUrl, EMAIL_FROM: SENDER }),
  ...(given.MOBILE_MONEY_URL ? {} : gsmaSettings(given, sandbox)),
  ...(given.MPESA_URL ? {} : mpesaSettings(given, sandbox)),
  ...(given.AIRTIME_URL
    ? {}
    : {
        AIRTIME_URL: sandbox.airtimeUrl,
        AIRTIME_KEY: 'sandbox',
        AIRTIME_SECRET: 'sandbox',
        AIRTIME_CALLBACK_URL: callbackUrl(given, 'airtime'),
      }),
  ...(given.RELOADLY_URL
    ? {}
    : {
        RELOADLY_URL: sandbox.reloadlyUrl,
        RELOADLY_TOKEN_URL: sandbox.reloadlyTokenUrl,
        RELOADLY_CLIENT_ID: 'sandbox',
        RELOADLY_CLIENT_SECRET: 'sandbox',
        RELOADLY_OPERATOR_ETHIO_TELECOM: '3001',
        RELOADLY_OPERATOR_SAFARICOM_ETHIOPIA: '3002',
        RELOADLY_CALLBACK_SECRET: reloadlyWebhookSecret,
      }),
});

const callbackUrl = ({ PORT }: Given, name: string): string =>
  `http://127.0.0.1:${PORT}/callbacks/${name}`;

const gsmaSettings = (given: Given, sandbox: Sandbox) => ({
  MOBILE_MONEY_URL: sandbox.mobileMoneyUrl,
  MOBILE_MONEY_TOKEN_URL: sandbox.mobileMoneyTokenUrl,
  MOBILE_MONEY_KEY: 'sandbox',
  MOBILE_MONEY_SECRET: 'sandbox',
  MOBILE_MONEY_ACCOUNT: 'sandbox',
  MOBILE_MONEY_CALLBACK_URL: callbackUrl(given, 'gsma'),
  MOBILE_MONEY_CALLBACK_SECRET: 'payments-of-the-sandbox',
});

const mpesaSettings = (given: Given, sandbox: Sandbox) => ({
  MPESA_URL: sandbox.mpesaUrl,
  MPESA_CONSUMER_KEY: 'sandbox',
  MPESA_CONSUMER_SECRET: 'sandbox',
  MPESA_SHORT_CODE: '600992',
  MPESA_INITIATOR: 'sandbox',
  MPESA_SECURITY_CREDENTIAL: 'sandbox',
  MPESA_CALLBACK_URL: callbackUrl(given, 'mpesa'),
  MPESA_CALLBACK_SECRET: 'results-of-the-sandbox',
});
