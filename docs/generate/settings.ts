import type { ZodType } from 'zod';
import {
  airtimeSettings,
  messageSettings,
  mobileMoneySettings,
  providerGuardSettings,
} from '../../src/config/providers/provider-settings.ts';
import { fileSettingOf } from '../../src/config/secret-files.ts';
import { isSecret } from '../../src/config/setting-kinds.ts';
import { accessSettings } from '../../src/config/settings/access-settings.ts';
import { codecSettings } from '../../src/config/settings/codec-settings.ts';
import { databaseSettings } from '../../src/config/settings/database-settings.ts';
import { eventSettings } from '../../src/config/settings/event-settings.ts';
import { httpSettings } from '../../src/config/settings/http-settings.ts';
import { apiSettings, portalSettings } from '../../src/config/settings/portal-settings.ts';
import {
  observationSettings,
  processSettings,
  tracingSettings,
} from '../../src/config/settings/process-settings.ts';
import { secretSettings } from '../../src/config/settings/secret-settings.ts';
import { startSettings } from '../../src/config/settings/start-settings.ts';
import {
  taskQueueSettings,
  temporalSettings,
} from '../../src/config/settings/temporal-settings.ts';
import { repairSettings, topupSettings } from '../../src/config/settings/topup-settings.ts';
import { scheduleSettings, voucherSettings } from '../../src/config/settings/voucher-settings.ts';
import { webhookSettings } from '../../src/config/settings/webhook-settings.ts';
import { code, GENERATED, page, table } from './markdown.ts';

type Settings = Readonly<Record<string, ZodType>>;

/** A setting belongs to the first section that has it. */
const SECTIONS: readonly (readonly [title: string, settings: Settings])[] = [
  ['Every process', processSettings],
  ['Metrics', observationSettings],
  ['Traces', tracingSettings],
  ['Secrets', secretSettings],
  ['PostgreSQL', databaseSettings],
  ['Temporal', { ...temporalSettings, ...taskQueueSettings }],
  ['HTTP server', httpSettings],
  ['Access and rate limits', accessSettings],
  ['Portal and invitations', { ...portalSettings, ...apiSettings }],
  ['Vouchers, claims and redemptions', voucherSettings],
  ['Retention and Schedules', scheduleSettings],
  ['Events', eventSettings],
  ['Webhooks', webhookSettings],
  ['Top-ups and unknown outcomes', topupSettings],
  ['Repairs', repairSettings],
  ['Every provider', providerGuardSettings],
  ['SMS and e-mail', messageSettings],
  ['Mobile money', mobileMoneySettings],
  ['Airtime', airtimeSettings],
  ['`npm start`', startSettings],
  ['Codec server', codecSettings],
];

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
  const known = new Set<string>();
  const blocks = SECTIONS.flatMap(([title, settings]) => {
    const own = Object.entries(settings).filter(([name]) => !known.has(name));
    for (const [name] of own) known.add(name);
    const rows = own.map(([name, schema]) => [
      code(name),
      shownDefault(schema),
      meaningOf(name, schema),
    ]);
    return [`## ${title}`, table(['Setting', 'Default', 'Meaning'], rows)];
  });
  return page(
    GENERATED,
    '# Settings',
    'Settings are environment variables. `src/config/` declares them, and `src/config/config.ts` alone reads ' +
      'them; an empty value means the default. A process that misses a setting, or finds one ' +
      'malformed, ends at once and names all of them.',
    '*Required* holds for the [processes of production](../guides/deploy.md). `npm ' +
      'start` makes the secrets, and sets the addresses of the parts that it starts: it uses each of ' +
      '`DATABASE_URL`, `TEMPORAL_ADDRESS` and the addresses of providers that is set, and starts the ' +
      'rest.',
    'A secret can stand in a file: `NAME_FILE=/path` in place of `NAME`, for each setting below whose ' +
      'meaning says so. One newline at the end of the file is not part of the secret. A process reads ' +
      'its files when it starts. It refuses a setting that is given both ways, and a file that is ' +
      'empty or cannot be read; it never shows what a file holds, nor its path.',
    ...blocks,
  );
}
