/** What decides to whom money and messages go: in production none of it comes from a default. */
const NAMED_PROVIDERS = [
  'SMS_PROVIDER',
  'SMS_USERNAME',
  'EMAIL_PROVIDER',
  'MOBILE_MONEY_PROVIDER',
  'AIRTIME_PROVIDER',
  'AIRTIME_PRODUCT_ETHIO_TELECOM',
  'AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA',
];

const PROVIDER_ADDRESSES = ['SMS_URL', 'SMTP_URL', 'MOBILE_MONEY_URL', 'AIRTIME_URL'];

/** The name that docker-compose.yml gives the sandbox. */
const SANDBOX_HOST = 'sandbox';

type Given = Readonly<Record<string, string | undefined>>;

const isProduction = ({ ENVIRONMENT }: Given) => ENVIRONMENT === 'production';

const isSandbox = (address: string | undefined): boolean =>
  address !== undefined &&
  URL.canParse(address) &&
  new URL(address).hostname.split('.')[0] === SANDBOX_HOST;

/** What keeps the service from production, a line each: every provider is named, and is no sandbox. */
export const serviceProblems = (given: Given): string[] =>
  isProduction(given)
    ? [
        ...NAMED_PROVIDERS.filter((name) => given[name] === undefined).map(
          (name) => `${name}: must be set in production`,
        ),
        ...PROVIDER_ADDRESSES.filter((name) => isSandbox(given[name])).map(
          (name) => `${name}: is the sandbox's, which is not for production`,
        ),
      ]
    : [];

/** The same for `npm start`, which would start the sandbox where an address is missing. */
export const startProblems = (given: Given): string[] =>
  isProduction(given)
    ? PROVIDER_ADDRESSES.filter((name) => given[name] === undefined).map(
        (name) =>
          `${name}: must be set in production; the sandbox is for the test environment only`,
      )
    : [];

/** What keeps the sandbox from starting. */
export const sandboxProblems = (given: Given): string[] =>
  isProduction(given) ? ['ENVIRONMENT: the sandbox is for the test environment only'] : [];
