import type { ZodType } from 'zod';
import { allSettings } from '../../src/config/config.ts';
import { fileSettingOf } from '../../src/config/secret-files.ts';
import { isConstant, isSecret } from '../../src/config/setting-kinds.ts';
import { code, GENERATED, page, table } from './markdown.ts';

/** The names or beginnings of names of each section, in the order of who turns them. */
const SECTIONS: readonly (readonly [title: string, text: string, names: readonly string[]])[] = [
  [
    'Everybody who deploys',
    'Where the processes and their servers are.',
    [
      ...['ENVIRONMENT', 'DATABASE_URL', 'WORKER_DATABASE_URL', 'DATABASE_READ_URL'],
      ...[
        'TEMPORAL_ADDRESS',
        'TEMPORAL_NAMESPACE',
        'TEMPORAL_UI_URL',
        'HOST',
        'PORT',
        'PUBLIC_URL',
      ],
      ...['TRUSTED_PROXIES', 'DRAIN_SECONDS', 'WORKER_HEALTH_PORT', 'METRICS_', 'LOG_LEVEL'],
      ...['SECURITY_CONTACT', 'PROMO_IMAGE_FOLDER', 'MARKET_TIME_ZONE', 'DNS_SERVERS'],
      ...['SYNCHRONOUS_REPLICATION', 'TEMPORAL_TASK_QUEUE', 'TEMPORAL_BUILD_ID', 'WORKFLOW_BUNDLE'],
      'OTEL_',
    ],
  ],
  [
    'Security and keys',
    'Who is responsible for secrets and access.',
    [
      ...['ACCESS_TOKEN_', 'DIGEST_KEY', 'DIGEST_KEYS', 'DATA_KEYS', 'PAYLOAD_KEYS', 'COPY_KEYS'],
      ...['TRUST_UNENCRYPTED_NETWORK', 'TEMPORAL_TLS', 'TEMPORAL_API_KEY', 'CODEC_SERVER_'],
      ...['SUPPORT_RETRY_SIGNAL', 'REPAIR_CONFIRM_FROM', 'WEBHOOK_PRIVATE_NETWORKS'],
    ],
  ],
  [
    'Providers',
    'Who has the contracts with providers.',
    [
      ...['CALLBACK_', 'SMS_', 'SMPP_', 'MESSAGE_TEMPLATES', 'EMAIL_', 'SMTP_', 'MOBILE_MONEY_'],
      ...['MPESA_', 'AIRTIME_PROVIDER', 'AIRTIME_URL', 'AIRTIME_KEY', 'AIRTIME_SECRET'],
      ...['AIRTIME_PRODUCTS', 'RELOADLY_', 'PROVIDER_BALANCE_MINIMUMS', 'PROVIDER_CONTACTS'],
    ],
  ],
  [
    'Limits of the business',
    'Who answers for vouchers, top-ups and the data of owners.',
    [
      ...[
        'VOUCHER_VALIDITY_DAYS',
        'CLAIM_LIFETIME_SECONDS',
        'EXPIRY_REMINDER_',
        'SERVED_COUNTRIES',
        'MOBILE_PREFIXES',
      ],
      ...['MESSAGES_PER_', 'REDEMPTION_MINIMUM', 'PARTIAL_REDEMPTIONS_', 'REVERSAL_WINDOW_SECONDS'],
      ...['VOUCHERS_PER_', 'REDEMPTIONS_PER_', 'TOPUPS_PER_', 'AIRTIME_RANGES'],
      ...['PAYMENT_ALARM_SECONDS', 'MESSAGE_RETENTION_DAYS', 'NUMBER_RETENTION_DAYS', 'ARCHIVE_'],
    ],
  ],
  [
    'Tuning',
    'Who sizes machines for the load.',
    [
      ...['DATABASE_POOL_SIZE', 'CONNECTION_LIMIT', 'CALLER_WAIT_SECONDS', 'RATE_LIMIT_STORE'],
      ...['CALLS_PER_', 'PORTAL_PASSWORD_THREADS', 'PROVIDER_CALLS'],
    ],
  ],
  [
    '`npm start` and tests',
    'Who develops, or tries the service out.',
    [
      ...['DATA_DIR', 'PORT_BASE', 'CODEC_SERVER_PORT', 'TEMPORAL_CLI_PATH', 'XDG_CACHE_HOME'],
      ...['SANDBOX_URL', 'TEST_CONSTANTS'],
    ],
  ],
];

/** Constants are no settings: nothing in the environment changes them. */
const settings = Object.entries(allSettings).filter(([, schema]) => !isConstant(schema));

/** The name itself, or a beginning that ends in an underscore or stands before one. */
const isMeant = (entry: string, name: string): boolean =>
  name === entry || name.startsWith(entry.endsWith('_') ? entry : `${entry}_`);

/** The most exact entry of all sections counts. */
function sectionOf(name: string): string {
  const found = SECTIONS.flatMap(([title, , names]) =>
    names.filter((entry) => isMeant(entry, name)).map((entry) => ({ title, entry })),
  ).sort((one, other) => other.entry.length - one.entry.length)[0];
  if (!found)
    throw new Error(`${name} has no section: say in docs/generate/settings.ts who turns it`);
  return found.title;
}

interface Definition {
  readonly type: string;
  readonly defaultValue?: unknown;
  readonly innerType?: ZodType;
  readonly in?: ZodType;
}

/** What holds where a setting is not set: a text, `null` for nothing, `undefined` where it must be set. */
function defaultOf(schema: ZodType): string | null | undefined {
  const { type, defaultValue, innerType, in: input } = schema._zod.def as unknown as Definition;
  if (type === 'default' || type === 'prefault')
    return typeof defaultValue === 'object' ? null : String(defaultValue) || null;
  if (type === 'optional') return null;
  const inner = type === 'pipe' ? input : innerType;
  return inner && defaultOf(inner);
}

function shownDefault(schema: ZodType): string {
  const { whenUnset } = schema.meta() ?? {};
  if (typeof whenUnset === 'string') return whenUnset;
  const text = defaultOf(schema);
  if (text === undefined) return 'required';
  return text === null ? 'none' : code(text);
}

function meaningOf(name: string, schema: ZodType): string {
  if (schema.description === undefined)
    throw new Error(`${name} has no description: add .describe('…') in src/config/`);
  return isSecret(schema)
    ? `${schema.description}. Or a file: ${code(fileSettingOf(name))}`
    : schema.description;
}

/** docs/reference/settings.md, from the schemas of src/config/. */
export function settingsPage(): string {
  const blocks = SECTIONS.flatMap(([title, text, names]) => {
    const placeOf = (name: string) => names.findIndex((entry) => isMeant(entry, name));
    const rows = settings
      .filter(([name]) => sectionOf(name) === title)
      .sort(([one], [other]) => placeOf(one) - placeOf(other))
      .map(([name, schema]) => [code(name), shownDefault(schema), meaningOf(name, schema)]);
    return [`## ${title}`, text, table(['Setting', 'Default', 'Meaning'], rows)];
  });
  return page(
    GENERATED,
    '# Settings',
    'Settings are environment variables. `src/config/` declares them, and `src/config/config.ts` alone reads ' +
      'them; an empty value means the default. A process with missing or malformed settings ends at once and ' +
      'names all of them. The sections show who changes a setting. A value that no operator changes is a ' +
      'constant next to its use, or in `src/config/` where tests change it.',
    '*Required* holds for the [processes of production](../guides/deploy.md). The command `npm start` makes the ' +
      'secrets. It uses each of `DATABASE_URL`, `TEMPORAL_ADDRESS` and the addresses of providers that is set. It ' +
      'starts the other parts and sets their addresses.',
    'A secret can stand in a file: `NAME_FILE=/path` in place of `NAME`, for each setting below whose ' +
      'meaning says so. One newline at the end of the file is not part of the secret. A process reads ' +
      'its files when it starts. It refuses a setting that is given both ways, and a file that is ' +
      'empty or cannot be read. It never shows the content of a file, nor its path.',
    ...blocks,
  );
}
