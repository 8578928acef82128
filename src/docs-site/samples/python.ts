import { fixedHeaders, indented, type SampleCall } from './sample-call.ts';

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
