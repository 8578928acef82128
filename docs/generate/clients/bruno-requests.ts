import type { SchemaObject } from 'openapi3-ts/oas31';
import { block, bru } from './bruno-format.ts';
import { type BrunoStep, brunoSteps, type RefusedRequest } from './bruno-steps.ts';
import type { ClientOperation, ClientSurface } from './client-operations.ts';

/** A request of a collection; its number is its place in its folder. */
interface BrunoRequest {
  readonly file: string;
  readonly text: (number: number) => string;
}

/** Fields of bodies and paths that have a variable in place of the example's value. */
const VARIABLES: Readonly<Record<string, string>> = {
  key: 'apiKey',
  idempotencyKey: '$randomUUID',
  ...Object.fromEntries(
    ['voucherCode', 'verificationCode', 'transactionId', 'merchantId', 'denominationId']
      .concat('productId', 'msisdn', 'bulkOrderId')
      .map((name) => [name, name]),
  ),
};

/** The requests of an operation: as its example is, and the one that the sandbox refuses. */
export function brunoRequests(surface: ClientSurface, operation: ClientOperation): BrunoRequest[] {
  const step = brunoSteps[surface][operation.name] ?? {};
  const { refused } = step;
  const file = operation.name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [
    { file: `${file}.bru`, text: (number) => requestText(operation, step, number) },
    ...(refused
      ? [
          {
            file: `${file}-refused.bru`,
            text: (number: number) => requestText(operation, refused, number),
          },
        ]
      : []),
  ];
}

function requestText(
  operation: ClientOperation,
  step: BrunoStep | RefusedRequest,
  number: number,
): string {
  const { method, path, summary, example, query, isBare } = operation;
  const { name, status, body } = 'status' in step ? step : { name: summary, status: 200, body: {} };
  const url = `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, '{{$1}}')}`;
  const success = isBare ? [] : [`res.body.success: eq ${status === 200}`];
  return bru(
    block('meta', `name: ${name}\ntype: http\nseq: ${number}`),
    block(method.toLowerCase(), `url: ${url}\nbody: ${example ? 'json' : 'none'}\nauth: none`),
    ...(query ? [block('params:query', queryOf(query))] : []),
    ...headersOf(operation),
    ...(example ? [block('body:json', bodyOf(example, body))] : []),
    block('assert', [`res.status: eq ${status}`, ...success].join('\n')),
    ...('before' in step && step.before ? [block('script:pre-request', step.before)] : []),
    ...(step.after ? [block('script:post-response', step.after)] : []),
    block('docs', docsOf(operation)),
  );
}

/** The log-in alone needs no access token. */
function headersOf({ name, key, isSigned }: ClientOperation): string[] {
  const headers = [
    ...(name === 'logIn' ? [] : ['x-api-token: {{accessToken}}']),
    ...(key === 'header' ? ['Idempotency-Key: {{$randomUUID}}'] : []),
    ...(isSigned ? ['x-signature: {{signature}}'] : []),
  ];
  return headers.length > 0 ? [block('headers', headers.join('\n'))] : [];
}

/** All parameters of a query, switched off. */
const queryOf = ({ properties = {} }: SchemaObject): string =>
  Object.keys(properties)
    .map((name) => `~${name}:`)
    .join('\n');

/** The example with variables, and with the fields that are given. */
function bodyOf(
  example: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): string {
  const fields = Object.entries(example).map(([name, value]) =>
    fieldOf(name, given[name] ?? value, { isFixed: name in given, indent: '  ' }),
  );
  return `{\n${fields.join(',\n')}\n}`;
}

/** A field with its variable, or with the value of the example. */
function fieldOf(
  name: string,
  value: unknown,
  { isFixed, indent }: { readonly isFixed: boolean; readonly indent: string },
): string {
  const variable = isFixed ? undefined : VARIABLES[name];
  const key = `${indent}${JSON.stringify(name)}: `;
  if (Array.isArray(value)) {
    const items = value.map((item: Readonly<Record<string, unknown>>) => {
      const fields = Object.entries(item).map(([inner, one]) =>
        fieldOf(inner, one, { isFixed, indent: `${indent}    ` }),
      );
      return `${indent}  {\n${fields.join(',\n')}\n${indent}  }`;
    });
    return `${key}[\n${items.join(',\n')}\n${indent}]`;
  }
  if (variable === undefined) return key + JSON.stringify(value);
  return `${key}${typeof value === 'string' ? `"{{${variable}}}"` : `{{${variable}}}`}`;
}

/** The description, and the fields of the body. */
function docsOf({ description, key, request }: ClientOperation): string {
  const { properties = {}, required = [] } = request ?? {};
  const fields = Object.entries(properties).map(([name, property]) => {
    const meaning = (property as SchemaObject).description ?? '';
    return `- \`${name}\`${required.includes(name) ? '' : ' (optional)'}: ${meaning}`;
  });
  return [
    description,
    ...(fields.length > 0 ? [fields.join('\n')] : []),
    ...(key === 'none' ? [] : [KEY]),
  ].join('\n\n');
}

const KEY =
  'Each request has a new idempotency key, and is another order. To repeat one, send it with the key of the first.';
