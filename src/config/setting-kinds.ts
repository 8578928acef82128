import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { parseMoney } from '../domain/money.ts';
import { hasPhoneNumbers, operators } from '../domain/phone.ts';
import { templateProblems } from '../domain/vouchers/messages.ts';

/** A port; 0 selects a free one. */
export const port = z.coerce.number().int().min(0).max(65_535);
export const seconds = z.coerce.number().positive();
/** A century. PostgreSQL and JavaScript have no dates in some millions of days. */
export const MAXIMUM_DAYS = 36_525;
export const days = z.coerce.number().positive().max(MAXIMUM_DAYS);
export const count = z.coerce.number().int().positive();
export const onOff = z.enum(['on', 'off']);
/** A limit; 0 switches it off. */
export const limit = z.coerce.number().int().min(0);

/** Marks a kind as secret: it can be given as a file, too (`secret-files.ts`). */
export const SECRET = { secret: true };

/** Marks what has no environment variable: operators do not turn it. */
export const CONSTANT = { constant: true };

/** A setting that may be missing; the last text says what then holds. */
export const optionalSetting = <Kind extends z.ZodType>(
  kind: Kind,
  description: string,
  whenUnset?: string,
): z.ZodOptional<Kind> =>
  kind.optional().meta({ description, ...(whenUnset !== undefined && { whenUnset }) });

/** A number that only tests change, to see sooner what production sees in days. */
export const constant = (value: number) => z.coerce.number().default(value).meta(CONSTANT);

/** Whether a value of a group is a constant, and not a setting. */
export const isConstant = (schema: z.ZodType): boolean => schema.meta()?.constant === true;

/** An IANA time zone. */
export const zoneName = z.enum(
  ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')] as [
    string,
    ...string[],
  ],
  'must be an IANA time zone',
);

export const secret = z.string().min(1).meta(SECRET);

/** Whether a setting is of a secret kind, whatever is put around the kind. */
export function isSecret(schema: z.ZodType): boolean {
  if (schema.meta()?.secret === true) return true;
  const { innerType, in: input } = schema._zod.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = innerType ?? input;
  return inner !== undefined && isSecret(inner);
}

/**
 * Reads the address of PostgreSQL, in which a user may stand without a host; null where it is none. Without a scheme,
 * as in `db.example:5432/gifts`, the client would take the host for one, and lead to this machine.
 */
export function parseDatabaseAddress(text: string): URL | null {
  const address = URL.parse(text.replace('@/', '@localhost/'));
  return address && /^(postgres|postgresql|socket):$/.test(address.protocol) ? address : null;
}

/** Address of PostgreSQL, with its password, or the folder of its socket. */
export const databaseAddress = z
  .string()
  .refine(
    (text) => text.startsWith('/') || parseDatabaseAddress(text) !== null,
    'must be an address such as postgres://user:password@host/database; write other characters of the ' +
      'password than letters and digits percent-encoded',
  )
  .meta(SECRET);

/** An existing folder. */
export const folder = z.string().refine((path) => isFolder(path), 'must be the path of a folder');

/** An existing file. */
export const file = z
  .string()
  .refine(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
    'must be the path of a file',
  );

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** ETB with at most two decimals. */
const amount = z.string().regex(/^[0-9]{1,12}(\.[0-9]{1,2})?$/, 'must be an amount such as 99.50');

export const moneyAmount = amount.transform(parseMoney);

/** 32 bytes in base64, as `openssl rand -base64 32` prints them. */
export const symmetricKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64')
  .meta(SECRET);

const KEY_WITHOUT_ID = 'must be id:key, several separated by commas';

const keyId = z.string().regex(/^[\w-]{1,40}$/, 'must be an id of 1 to 40 letters, digits, - or _');

/** `keyId:key`, several separated by commas; the first encrypts, all decrypt. */
export const keyRing = z
  .string()
  .transform((text) => text.split(',').map((part) => part.split(':')))
  .pipe(z.array(z.tuple([keyId, symmetricKey], KEY_WITHOUT_ID)))
  // With a repeated id, the first key would encrypt and the second would be used to decrypt.
  .refine((pairs) => new Set(pairs.map(([id]) => id)).size === pairs.length, 'repeats a key id')
  .transform((pairs) => pairs.map(([id, key]) => ({ id, key: Buffer.from(key, 'base64') })))
  .meta(SECRET);

/** PEM, where `\n` may stand for line breaks. */
const pem = z.string().transform((text) => text.replaceAll('\\n', '\n'));

/** PEM, or the path of a file with it. */
export const pemOrFile = z.string().transform((text, context) => {
  if (text.includes('-----BEGIN ')) return Buffer.from(text.replaceAll('\\n', '\n'));
  try {
    const found = readFileSync(text);
    if (found.includes('-----BEGIN ')) return found;
  } catch {
    // Reported below: neither the text nor a file is valid.
  }
  context.addIssue({ code: 'custom', message: 'must be PEM, or the path of a file with it' });
  return z.NEVER;
});

const isEd25519 = (readKey: () => { asymmetricKeyType?: string }): boolean => {
  try {
    return readKey().asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
};

export const ed25519PrivateKey = pem
  .refine(
    (text) => isEd25519(() => createPrivateKey(text)),
    'must be an Ed25519 private key in PEM, as "openssl genpkey -algorithm ed25519" makes one',
  )
  .meta(SECRET);

/** Concatenated keys, each from its BEGIN to its END. */
export const ed25519PublicKeys = pem
  .transform((text) => text.split(/(?<=-----END PUBLIC KEY-----)/).map((part) => part.trim()))
  .transform((parts) => parts.filter(Boolean))
  .refine(
    (parts) =>
      parts.every((part) => part.includes('PUBLIC') && isEd25519(() => createPublicKey(part))),
    'must be Ed25519 public keys in PEM, as "openssl pkey -in private.pem -pubout" prints them',
  );

export const webAddress = z
  .string()
  .pipe(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }));

/** The base of addresses, without a slash at its end. */
export const linkAddress = webAddress.transform((url) => url.replace(/\/+$/, ''));

/** Whether a host is this machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/**
 * smtp:// (with STARTTLS, unless it ends in ?tls=off) or smtps://, optionally with user and
 * password.
 */
export const smtpAddress = z
  .string()
  .pipe(z.url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps address' }))
  .meta(SECRET);

/** `name@host`, or `Name <name@host>`. */
export const mailSender = z
  .string()
  .regex(
    /^([^<>@\p{C}]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'must be an e-mail address, or a name and the address in <>',
  );

export const addressOrRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an address or a CIDR range',
});

const parts = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

export const commaList = z.string().default('').transform(parts);

/** At least one of them. */
export const someNames = z.string().min(1).transform(parts);

/** At least one country, as ISO 3166-1 alpha-2 codes in any case. */
export const countries = commaList
  .transform((codes) => codes.map((code) => code.toUpperCase()))
  .refine(
    (codes) => codes.length > 0 && codes.every(hasPhoneNumbers),
    'must be ISO 3166-1 alpha-2 country codes, such as ET',
  );

export const areServers = (entries: readonly string[]): boolean => {
  try {
    new Resolver().setServers(entries);
    return true;
  } catch {
    return false;
  }
};

/** Texts of messages: JSON, or the path of a file with it. */
export const messageTemplates = z
  .string()
  .default('{}')
  .transform((text, context) => {
    try {
      return JSON.parse(text.trim().startsWith('{') ? text : readFileSync(text, 'utf8'));
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON, or the path of a file with it' });
      return z.NEVER;
    }
  })
  .pipe(
    z.record(z.string(), z.record(z.string(), z.string()), {
      error: 'must be an object of texts by language and message',
    }),
  )
  .superRefine((templates, context) => {
    for (const message of templateProblems(templates))
      context.addIssue({ code: 'custom', message });
  });

/** `name=value`, separated by commas, with percent-encoded values, as OpenTelemetry writes them. */
export const pairs = z.string().transform((given, context): Readonly<Record<string, string>> => {
  const found = given
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      found.map((pair) => [pair?.[1] ?? fail(), decodeURIComponent(pair?.[2] ?? fail())]),
    );
  } catch {
    context.addIssue({ code: 'custom', message: 'must be name=value, separated by commas' });
    return z.NEVER;
  }
});

function fail(): never {
  throw new RangeError('not a pair');
}

/** The name in a wrong place may be a secret: no message repeats it. */
const namedBy = (names: readonly string[], which: 'each' | 'any') => ({
  error: `must be name=value, separated by commas, for ${which} of ${names.join(', ')}`,
});

const named: z.ZodType = pairs;

/** A value for some of these names. */
export const byName = <Name extends string, Value extends z.ZodType>(
  names: readonly Name[],
  value: Value,
) => named.pipe(z.partialRecord(z.enum(names), value, namedBy(names, 'any')));

/** A value for each mobile operator. */
export const byOperator = <Value extends z.ZodType>(value: Value) =>
  named.pipe(z.record(z.enum(operators), value, namedBy(operators, 'each')));

const prefixes = z
  .string()
  .transform((text) => text.split(/\s+/).filter(Boolean))
  .pipe(
    z.array(
      z
        .string()
        .regex(
          /^0[789]\d{0,3}$/,
          'must be prefixes of national mobile numbers, such as 0791, separated by spaces',
        ),
    ),
  );

/** Prefixes of numbers for some mobile operators; no number belongs to two of them. */
export const mobilePrefixes = byName(operators, prefixes).refine((given) => {
  const all = Object.entries(given).flatMap(([operator, ofOperator = []]) =>
    ofOperator.map((prefix) => ({ operator, prefix })),
  );
  return all.every((one) =>
    all.every((other) => other.operator === one.operator || !other.prefix.startsWith(one.prefix)),
  );
}, 'gives one prefix to two operators');

/** The smallest and the largest of amounts in ETB. */
export const amountRange = z
  .string()
  .regex(/^[0-9.]+-[0-9.]+$/, 'must be two amounts, such as 5-10000')
  .transform((text) => text.split('-'))
  .pipe(z.tuple([moneyAmount, moneyAmount]))
  .transform(([minimum, maximum]) => ({ minimum, maximum }))
  .refine(({ minimum, maximum }) => minimum <= maximum, 'must name the smaller amount first');

/** Addresses and ranges, separated by spaces. */
export const addressesOrRanges = z
  .string()
  .transform((text) => text.split(/\s+/).filter(Boolean))
  .pipe(z.array(addressOrRange));

/** smpp:// or smpps:// (TLS), with the system id and the password of the account. */
export const smppAddress = z
  .string()
  .pipe(z.url({ protocol: /^smpps?$/, error: 'must be an smpp or smpps address' }))
  .transform((text) => {
    const { protocol, hostname, port, username, password, searchParams } = new URL(text);
    return {
      tls: protocol === 'smpps:',
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'smpps:' ? 3550 : 2775),
      systemId: decodeURIComponent(username),
      password: decodeURIComponent(password),
      systemType: searchParams.get('system_type') ?? '',
    };
  })
  .refine(({ systemId }) => /^[\x21-\x7e]{1,15}$/.test(systemId), {
    message: 'must have a system id of 1 to 15 visible ASCII characters',
  })
  .refine(({ password }) => /^[\x21-\x7e]{1,8}$/.test(password), {
    message: 'must have a password of 1 to 8 visible ASCII characters',
  })
  .meta(SECRET);
