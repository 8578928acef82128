import { z } from 'zod';
import { parseMoney } from '../domain/money.ts';
import { operators } from '../domain/phone.ts';
import { addressOrRange, amount, SECRET } from './setting-kinds.ts';

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
const namedBy = (names: readonly string[]) => ({
  error: `must be given for ${names.join(', ')}: name=value, separated by commas`,
});

const named: z.ZodType = pairs;

/** A value for some of these names. */
export const byName = <Name extends string, Value extends z.ZodType>(
  names: readonly Name[],
  value: Value,
) => named.pipe(z.partialRecord(z.enum(names), value, namedBy(names)));

/** A value for each mobile operator. */
export const byOperator = <Value extends z.ZodType>(value: Value) =>
  named.pipe(z.record(z.enum(operators), value, namedBy(operators)));

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

/** Prefixes of numbers for some operators; no number belongs to two of them. */
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
  .pipe(z.tuple([amount, amount]))
  .transform(([minimum, maximum]) => ({
    minimum: parseMoney(minimum),
    maximum: parseMoney(maximum),
  }));

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
