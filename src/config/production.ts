/**
 * Settings that decide who receives money and messages: production uses no defaults for them. One of a
 * provider stands with the setting of its address, because only who uses it has to name it.
 */
const NAMED: readonly (readonly [name: string, address?: string])[] = [
  ['SMS_PROVIDER'],
  ['SMS_USERNAME', 'SMS_URL'],
  ['MOBILE_MONEY_PROVIDER'],
  ['AIRTIME_PROVIDER'],
  ['AIRTIME_PRODUCTS', 'AIRTIME_URL'],
];

const PROVIDER_ADDRESSES = ['SMS_URL', 'SMTP_URL', 'MOBILE_MONEY_URL', 'AIRTIME_URL'];
/** Of providers that need not be configured. */
const FURTHER_ADDRESSES = [
  ...['MPESA_URL', 'SMPP_URL', 'RELOADLY_URL'],
  // They get the credentials.
  ...['MOBILE_MONEY_TOKEN_URL', 'RELOADLY_TOKEN_URL'],
];

/** The name of the sandbox in docker-compose.yml. */
const SANDBOX_HOST = 'sandbox';

type Given = Readonly<Record<string, string | undefined>>;

const isProduction = ({ ENVIRONMENT }: Given) => ENVIRONMENT === 'production';

const isSandbox = (address: string | undefined): boolean =>
  address !== undefined &&
  URL.canParse(address) &&
  new URL(address).hostname.split('.')[0] === SANDBOX_HOST;

const namesOf = (given: Given): readonly string[] =>
  NAMED.filter(([, address]) => address === undefined || given[address] !== undefined).map(
    ([name]) => name,
  );

/**
 * The problems that prevent production, a line each: every provider must be set, and must not be
 * the sandbox.
 */
export const serviceProblems = (given: Given): string[] =>
  isProduction(given)
    ? [
        ...namesOf(given)
          .filter((name) => given[name] === undefined)
          .map((name) => `${name}: must be set in production`),
        ...(given.SANDBOX_URL === undefined
          ? []
          : ['SANDBOX_URL: must not be set in production; the sandbox is for tests only']),
        ...(given.WEBHOOK_PRIVATE_NETWORKS === 'on'
          ? ['WEBHOOK_PRIVATE_NETWORKS: must be "off" in production']
          : []),
        ...[...PROVIDER_ADDRESSES, ...FURTHER_ADDRESSES]
          .filter((name) => isSandbox(given[name]))
          .map((name) => `${name}: is the address of the sandbox, which is not for production`),
      ]
    : [];

/** The problems of `npm start`, which would start the sandbox for a missing address. */
export const startProblems = (given: Given): string[] =>
  isProduction(given)
    ? PROVIDER_ADDRESSES.filter((name) => given[name] === undefined).map(
        (name) =>
          `${name}: must be set in production; the sandbox is for the test environment only`,
      )
    : [];

/** The problems that prevent the start of the sandbox. */
export const sandboxProblems = (given: Given): string[] =>
  isProduction(given) ? ['ENVIRONMENT: the sandbox is for the test environment only'] : [];
