import type { StartConfig } from '../config/config.ts';
import { localPortsOf } from '../config/local-ports.ts';
import type { startSandbox } from '../sandbox/start-sandbox.ts';

/** Signs the callbacks of Reloadly in the sandbox. */
export const reloadlyWebhookSecret = 'sandbox-webhook-secret';
const SENDER = 'Voucher service <vouchers@sandbox.test>';

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Providers with an address of their own are not those of the sandbox. */
type Given = Pick<
  StartConfig,
  | 'PORT'
  | 'PORT_BASE'
  | 'CALLBACK_URL'
  | 'CALLBACK_SECRETS'
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
  CALLBACK_URL: given.CALLBACK_URL ?? `http://127.0.0.1:${localPortsOf(given).api}/callbacks`,
  CALLBACK_SECRETS:
    given.CALLBACK_SECRETS ?? 'gsma=payments-of-the-sandbox,mpesa=results-of-the-sandbox',
  ...(given.SMS_URL ? {} : { SMS_URL: sandbox.smsUrl, SMS_API_KEY: 'sandbox' }),
  ...(given.SMPP_URL ? {} : { SMPP_URL: sandbox.smppUrl }),
  ...(given.SMTP_URL ? {} : { SMTP_URL: sandbox.smtpUrl, EMAIL_FROM: SENDER }),
  ...(given.MOBILE_MONEY_URL ? {} : gsmaSettings(sandbox)),
  ...(given.MPESA_URL ? {} : mpesaSettings(sandbox)),
  ...(given.AIRTIME_URL
    ? {}
    : {
        AIRTIME_URL: sandbox.airtimeUrl,
        AIRTIME_KEY: 'sandbox',
        AIRTIME_SECRET: 'sandbox',
      }),
  ...(given.RELOADLY_URL
    ? {}
    : {
        RELOADLY_URL: sandbox.reloadlyUrl,
        RELOADLY_TOKEN_URL: sandbox.reloadlyTokenUrl,
        RELOADLY_CLIENT_ID: 'sandbox',
        RELOADLY_CLIENT_SECRET: 'sandbox',
        RELOADLY_OPERATORS: 'ETHIO_TELECOM=3001,SAFARICOM_ETHIOPIA=3002',
        RELOADLY_CALLBACK_SECRET: reloadlyWebhookSecret,
      }),
});

const gsmaSettings = (sandbox: Sandbox) => ({
  MOBILE_MONEY_URL: sandbox.mobileMoneyUrl,
  MOBILE_MONEY_TOKEN_URL: sandbox.mobileMoneyTokenUrl,
  MOBILE_MONEY_KEY: 'sandbox',
  MOBILE_MONEY_SECRET: 'sandbox',
  MOBILE_MONEY_ACCOUNT: 'sandbox',
});

const mpesaSettings = (sandbox: Sandbox) => ({
  MPESA_URL: sandbox.mpesaUrl,
  MPESA_CONSUMER_KEY: 'sandbox',
  MPESA_CONSUMER_SECRET: 'sandbox',
  MPESA_SHORT_CODE: '600992',
  MPESA_INITIATOR: 'sandbox',
  MPESA_SECURITY_CREDENTIAL: 'sandbox',
});
