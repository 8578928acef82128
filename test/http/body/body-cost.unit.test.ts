import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'vitest';
import type { ZodType } from 'zod';
import { readMpesaResult } from '../../../src/callbacks/mpesa.ts';
import { callbackRoutes } from '../../../src/callbacks/routes.ts';
import { BODY_LIMIT_BYTES } from '../../../src/http/body/json-body.ts';
import { readBody } from '../../../src/http/body/read-body.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { diagnoseSignature } from '../../../src/http/signature/diagnose-signature.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { expectShortStretches, longLines } from '../../harness/event-loop.ts';

/** The most expensive bodies that are let in, for every endpoint: none keeps other requests waiting. */
const [longLine = {}] = longLines();

const filled = (unit: string, bytes: number): string =>
  unit.repeat(Math.floor(bytes / unit.length));

/** Values of about so many bytes. */
const values: Readonly<Record<string, (bytes: number) => string>> = {
  'a long text': (bytes) => `"${filled('x', bytes)}"`,
  'a text of digits': (bytes) => `"${filled('9', bytes)}"`,
  'a text of blanks': (bytes) => `"${filled(' ', bytes)}"`,
  'a text of escapes': (bytes) => `"${filled('\\u00e9', bytes)}"`,
  'a text of quotes': (bytes) => `"${filled('\\"', bytes)}"`,
  'a text in another script': (bytes) => `"${filled('ስ', bytes / 3)}"`,
  'a huge number': (bytes) => `1${filled('0', bytes)}`,
  'many numbers': (bytes) => `[${filled('9,', bytes)}9]`,
  'many exact numbers': (bytes) => `[${filled('0.1234567890123456789,', bytes)}9]`,
  'many texts': (bytes) => `[${filled('"\\n" ,', bytes)}""]`,
  'many objects': (bytes) => `[${filled('{},', bytes)}{}]`,
  'many arrays': (bytes) => `[${filled('[],', bytes)}[]]`,
  'deep nesting': (bytes) => `[${filled(`${'['.repeat(28)}${']'.repeat(28)},`, bytes)}1]`,
  'endless nesting': (bytes) => filled('[', bytes),
  blanks: (bytes) => `1${filled(' ', bytes)}`,
  'many fields': (bytes) => `{${fieldsOf(bytes)}}`,
  'many fields and a prototype': (bytes) => `{"__proto__":1,${fieldsOf(bytes)}}`,
};

const fieldsOf = (bytes: number): string =>
  Array.from({ length: Math.floor(bytes / 14) }, (_, n) => `"f${n}":1`).join(',');

/** The fields of a body, in every form that it has. */
function fieldsIn(schema: ZodType | undefined): string[] {
  const { shape, options = [] } = (schema ?? {}) as { shape?: object; options?: ZodType[] };
  return [...new Set([...Object.keys(shape ?? {}), ...options.flatMap(fieldsIn)])];
}

const object = (fields: readonly (readonly [string, string])[]): string =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;

type Body = readonly [name: string, text: () => string];

/** Bodies of the largest size: each value in the known fields, and in an unknown one. */
function bodiesFor(endpoint: Endpoint): Body[] {
  const bytes = (endpoint.bodyLimitBytes ?? BODY_LIMIT_BYTES) - 1_000;
  if (endpoint.isForm) return formsOf(bytes);
  const fields = fieldsIn(endpoint.body);
  const bodies = Object.entries(values).flatMap(([name, value]): Body[] => [
    [
      `${name} in each field`,
      () => object(fields.map((field) => [field, value(bytes / fields.length)])),
    ],
    [`${name} in an unknown field`, () => object([['unknown', value(bytes)]])],
  ]);
  return endpoint.bodyLimitBytes === undefined ? bodies : [...bodies, ...ordersOf(bytes)];
}

const formsOf = (bytes: number): Body[] => [
  ['many fields', () => fieldsOf(bytes).replaceAll(/"(\w+)":1,?/g, '$1=1&')],
  ['a field of escapes', () => `id=${filled('%41', bytes)}`],
  ['separators', () => filled('&', bytes)],
];

/** What only an order of many lines can be. */
function ordersOf(bytes: number): Body[] {
  const wrong = object(Object.keys(longLine).map((field) => [field, '"?"']));
  const inNoCountry = JSON.stringify({ ...longLine, originatingCountry: 'Y'.repeat(100) });
  const linesOf = (one: string, count: number) =>
    `{"lines":[${filled(`${one},`, (one.length + 1) * (count - 1))}${one}]}`;
  return [
    ['as many right lines as there may be', () => JSON.stringify({ lines: longLines() })],
    ['10,000 empty lines', () => linesOf('{}', 10_000)],
    ['2,000,000 empty lines', () => linesOf('{}', 2_000_000)],
    ['wrong lines', () => linesOf(wrong, 10_000)],
    ['lines of no country', () => linesOf(inNoCountry, 10_000)],
    ['lines of one reference', () => linesOf(JSON.stringify(longLine), 10_000)],
    ['one line of all bytes', () => linesOf(`{"a":"${filled('x', bytes)}"}`, 1)],
    ['an escaped name', () => linesOf('{}', 2_000_000).replace('lines', '\\u006cines')],
    ['lines twice', () => `{"lines":[],${linesOf('{}', 1_000_000).slice(1)}`],
    [
      'lines behind a long text',
      () => `{"a":"${filled('x', bytes / 2)}",${linesOf('{}', 10_000).slice(1)}`,
    ],
    [
      'blanks around the name',
      () => `{"lines"${filled(' ', bytes / 2)}:${filled(' ', bytes / 2)}[]}`,
    ],
  ];
}

const routes = [partnerRoutes, merchantRoutes, callbackRoutes].flatMap(({ basePath, endpoints }) =>
  endpoints.map(
    (endpoint) => [`${endpoint.method} ${basePath}${endpoint.path}`, endpoint] as const,
  ),
);

describe('no body keeps other requests waiting', () => {
  test.each(routes.filter(([, { body }]) => body))('%s', async (_route, endpoint) => {
    const type = endpoint.isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    for (const [name, text] of bodiesFor(endpoint)) {
      const body = Buffer.from(text());
      await expectShortStretches(name, async () => readBody(endpoint, body, type));
    }
  });

  test.each(Object.keys(values))('the parameters of a result of M-Pesa: %s', async (name) => {
    const parameters = JSON.parse(
      values[name === 'endless nesting' ? 'deep nesting' : name]?.(60_000) ?? '',
    );
    const Result = {
      ResultCode: 0,
      ConversationID: 'a',
      ResultParameters: { ResultParameter: parameters },
    };
    const payment = { amount: '1.000000', payee: [] };
    await expectShortStretches(name, async () =>
      readMpesaResult('payment', 'a', { Result }, payment),
    );
  });

  test.each(Object.keys(values))('the cause of a wrong signature: %s', async (name) => {
    const body = Buffer.from(object([['a', values[name]?.(60_000) ?? '']]));
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const unmatched = { body, message: Buffer.alloc(0), signature: Buffer.alloc(64, 1) };
    await expectShortStretches(name, () =>
      diagnoseSignature(unmatched, [publicKey], async () => []),
    );
  });
});
