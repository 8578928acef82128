/** The providers of value, and what each is for. */
export const statementProviders = {
  gsma: 'mobile-money',
  mpesa: 'mobile-money',
  'dt-one': 'airtime',
  reloadly: 'airtime',
} as const;

export type StatementProviderName = keyof typeof statementProviders;
export const statementProviderNames = Object.keys(statementProviders) as StatementProviderName[];
