import type { Endpoint } from '../http/endpoint.ts';

/** A call as the samples of every language send it. */
export interface SampleCall {
  readonly method: Endpoint['method'];
  /** With the example's values in place of its parameters. */
  readonly url: string;
  readonly needsToken: boolean;
  readonly isSigned: boolean;
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
}

/** The headers whose values are known; those of token and signature are variables of the languages. */
const fixedHeaders = ({ idempotencyKey, body }: SampleCall): [string, string][] => [
  ...(idempotencyKey === undefined
    ? []
    : [['Idempotency-Key', idempotencyKey] as [string, string]]),
  ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
];

/** The body as text that a person reads. */
const bodyText = ({ body }: SampleCall): string =>
  body === undefined ? '' : JSON.stringify(body, null, 2);

/** Every line but the first one. */
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

const quotedForNode = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

/** A call by Node.js; `token` is the access token, and `private-key.pem` the merchant's key. */
export function nodeSample(call: SampleCall): string {
  const { method, url, needsToken, isSigned, body } = call;
  const json = `JSON.stringify(${indented(bodyText(call), isSigned ? '' : '  ')})`;
  const headers = [
    ...(needsToken ? ["'x-api-token': token"] : []),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the sample
    ...(isSigned ? ["'x-signature': `${signature}\\\\n${message}`"] : []),
    ...fixedHeaders(call).map(([name, value]) => `${quotedForNode(name)}: ${quotedForNode(value)}`),
  ].map((header) => `\n    ${header},`);
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: {${headers.join('')}\n  }`] : []),
    ...(body === undefined ? [] : [isSigned ? 'body' : `body: ${json}`]),
  ].map((option) => `\n  ${option},`);
  const program = `const response = await fetch(${quotedForNode(url)}, {${options.join('')}\n});
console.log(await response.json());`;
  return isSigned ? signed(body === undefined ? "''" : json) + program : program;
}

const signed = (body: string): string => `import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const body = ${body};
const message = new Date().toISOString();
const signature = sign(
  'sha256',
  Buffer.from(\`\${body}\\n\${message}\`),
  readFileSync('private-key.pem'),
).toString('base64');
`;

/** A value of JSON as Python writes it; each object on lines of its own. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return block('[]', value.map(literal));
  if (typeof value === 'object')
    return block(
      '{}',
      Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${literal(one)}`),
    );
  return JSON.stringify(value);
}

const block = ([open = '', close = '']: string, parts: readonly string[]): string =>
  parts.length === 0
    ? open + close
    : `${open}\n${parts.map((part) => `    ${indented(part, '    ')},\n`).join('')}${close}`;

/** A call by Python; `token` is the access token, and `private-key.pem` the merchant's key. */
export function pythonSample(call: SampleCall): string {
  const { method, url, needsToken, isSigned, body } = call;
  const headers = [
    ...(needsToken ? ['"x-api-token": token'] : []),
    ...(isSigned
      ? ['"x-signature": base64.b64encode(signature).decode() + "\\\\n" + message']
      : []),
    ...fixedHeaders(call)
      // The library names the type of `json` itself.
      .filter(([name]) => isSigned || name !== 'Content-Type')
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const parts = [
    JSON.stringify(url),
    ...(headers.length > 0 ? [`headers=${block('{}', headers)}`] : []),
    ...(isSigned ? ['data=body'] : body === undefined ? [] : [`json=${literal(body)}`]),
    'timeout=30',
  ];
  const text = `response = requests.${method.toLowerCase()}${block('()', parts)}
print(response.json())`;
  return isSigned
    ? `${IMPORTS}\nbody = ${body === undefined ? 'b""' : `json.dumps(${literal(body)}).encode()`}\n${SIGN}${text}`
    : `import requests\n\n${text}`;
}

const IMPORTS = `import base64
import json
from datetime import datetime, timezone
from pathlib import Path

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

private_key = load_pem_private_key(Path("private-key.pem").read_bytes(), None)`;

const SIGN = `message = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
signature = private_key.sign(body + b"\\n" + message.encode(), ec.ECDSA(hashes.SHA256()))
`;

const quotedForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call by curl; `$token` is the access token, and `private-key.pem` the merchant's key. */
export function shellSample(call: SampleCall): string {
  const { method, url, needsToken, isSigned, body } = call;
  const options = [
    ...(needsToken ? ['-H "x-api-token: $token"'] : []),
    ...(isSigned ? ['-H "x-signature: $signature\\\\n$message"'] : []),
    ...fixedHeaders(call).map(([name, value]) => `-H ${quotedForShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${isSigned ? '"$body"' : quotedForShell(bodyText(call))}`]),
  ];
  // curl sends POST where it has a body.
  const way = method === 'POST' && body === undefined ? '-X POST ' : '';
  const curl = [`curl -s ${way}${quotedForShell(url)}`, ...options].join(' \\\n  ');
  return isSigned ? `body=${quotedForShell(bodyText(call))}\n${SIGNED}\n${curl}` : curl;
}

const SIGNED = `message=$(date -u +%Y-%m-%dT%H:%M:%SZ)
signature=$(printf '%s\\n%s' "$body" "$message" |
  openssl dgst -sha256 -sign private-key.pem | openssl base64 -A)
`;
