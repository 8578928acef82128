import { ConfigError, type Environment, readConfig } from '../../src/config/config.ts';
import { makeSecrets } from '../../src/local/start/backing-services.ts';

export const { COPY_KEYS, ...secrets } = makeSecrets();

/** The least that the worker starts with. */
export const least: Environment = {
  ...secrets,
  DATABASE_URL: 'postgres://service:database-password@localhost/service',
  TEMPORAL_ADDRESS: 'localhost:7233',
  SMS_URL: 'https://sms.example',
  SMS_API_KEY: 'sms-api-key',
  SMTP_URL: 'smtps://service:mail-password@mail.example',
  EMAIL_FROM: 'Vouchers <vouchers@service.example>',
  MOBILE_MONEY_URL: 'https://mobile-money.example/v1.2/mm',
  MOBILE_MONEY_ACCOUNT: 'service',
  AIRTIME_URL: 'https://airtime.example/v1',
  AIRTIME_KEY: 'airtime-key',
  AIRTIME_SECRET: 'airtime-secret',
};

/** The lines of the error that reading ends with. */
export function problems(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').slice(1);
  }
  return [];
}

export const problemsWith = (changes: Environment): string[] =>
  problems(() => readConfig({ ...least, ...changes }));

/** Production has no default for whom money and messages go to, and for where links lead. */
export const named: Environment = {
  ENVIRONMENT: 'production',
  SMS_PROVIDER: 'africas-talking',
  SMS_USERNAME: 'service',
  MOBILE_MONEY_PROVIDER: 'gsma',
  AIRTIME_PROVIDER: 'dt-one',
  AIRTIME_PRODUCTS: 'ETHIO_TELECOM=17,SAFARICOM_ETHIOPIA=18',
  PUBLIC_URL: 'https://vouchers.example',
};

/** Production with these providers. */
export const production: Environment = {
  ...named,
  CALLBACK_SECRETS:
    'africas-talking=reports-of-messages,gsma=reports-of-payments,dt-one=reports-of-top-ups',
};
