/** The providers of each kind, as settings, rows and addresses name them. */
export const smsProviderNames = ['africas-talking', 'smpp'] as const;
export const mobileMoneyProviderNames = ['gsma', 'mpesa'] as const;
export const airtimeProviderNames = ['dt-one', 'reloadly'] as const;

export type SmsProviderName = (typeof smsProviderNames)[number];
export type MobileMoneyProviderName = (typeof mobileMoneyProviderNames)[number];
export type AirtimeProviderName = (typeof airtimeProviderNames)[number];
