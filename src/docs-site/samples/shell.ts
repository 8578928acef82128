import { bodyText, fixedHeaders, type SampleCall } from './sample-call.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call by curl; `$token` is the access token, and `private-key.pem` the merchant's key. */
export function shellSample(call: SampleCall): string {
  const { method, url, needsToken, isSigned, body } = call;
  const options = [
    ...(needsToken ? ['-H "x-api-token: $token"'] : []),
    ...(isSigned ? ['-H "x-signature: $signature\\\\n$message"'] : []),
    ...fixedHeaders(call).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${isSigned ? '"$body"' : quoted(bodyText(call))}`]),
  ];
  // curl sends POST where it has a body.
  const way = method === 'POST' && body === undefined ? '-X POST ' : '';
  const curl = [`curl -s ${way}${quoted(url)}`, ...options].join(' \\\n  ');
  return isSigned ? `body=${quoted(bodyText(call))}\n${SIGNED}\n${curl}` : curl;
}

const SIGNED = `message=$(date -u +%Y-%m-%dT%H:%M:%SZ)
signature=$(printf '%s\\n%s' "$body" "$message" |
  openssl dgst -sha256 -sign private-key.pem | openssl base64 -A)
`;
