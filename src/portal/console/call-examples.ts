import { messageOf, statusCodeOf } from '../../domain/refusals.ts';
import { type Html, html } from '../../rendering/html.ts';

/** Calls for one shell session, in order: each uses the variables of the previous ones. */

/** Logs in with a key, and stores the token in `$token`. */
export const loginCommand = (base: string): string => `key=YOUR_KEY
token=$(curl -s ${base}/auth/login \\
  -H 'Content-Type: application/json' -d "{\\"key\\":\\"$key\\"}" |
  sed -n 's/.*"accessToken": *"\\([^"]*\\)".*/\\1/p')`;

/** Checks key, token and address. */
export const testCommand = (base: string, method: 'GET' | 'POST'): string =>
  `curl -s ${method === 'POST' ? '-X POST ' : ''}${base}/test -H "x-api-token: $token"`;

/** Signs a call for a voucher that does not exist, so that it changes nothing. */
export const signedCommand = (
  base: string,
): string => `body='{"voucherCode":"0000-0000-0000-0001","idempotencyKey":"first-try"}'
message=$(date -u +%Y-%m-%dT%H:%M:%SZ)
signature=$(printf '%s\\n%s' "$body" "$message" |
  openssl dgst -sha256 -sign private-key.pem | openssl base64 -A)
curl -s ${base}/topup-transactions/initiate-claim \\
  -H "x-api-token: $token" -H "x-signature: $signature\\\\n$message" \\
  -H 'Content-Type: application/json' -d "$body"`;

/** The status of the answer that proves an accepted signature: the voucher does not exist. */
export const NO_SUCH_VOUCHER = statusCodeOf('voucher-not-found', 'merchant', 'initiate-claim');
export const signedAnswer = `${NO_SUCH_VOUCHER}, “${messageOf('voucher-not-found')}”,`;

/** Commands to copy; a script adds a button. */
export const commands = (text: string): Html =>
  html`<div class="commands"><pre tabindex="0" data-copy><code>${text}</code></pre></div>`;

/** Explains x-signature for other languages (specification 5). */
export const signatureHelp = (windowSeconds: number): Html => html`<details>
<summary>How to sign in PHP, Java and other languages</summary>
<ol>
<li>Concatenate the exact bytes of the body that you send, a line feed (one byte, <code>0A</code>) and a
message.</li>
<li>Sign them with ECDSA, SHA-256 and your private key on the curve secp256k1. In PHP that is
<code>openssl_sign</code> with <code>OPENSSL_ALGO_SHA256</code>, in Java
<code>SHA256withECDSA</code>.</li>
<li>Encode the signature, in DER as these functions return it, as base64 on one line.</li>
<li>The header <code>x-signature</code> is the signature, a backslash and the letter n
(<code>\\n</code>, two characters and no line feed), and the message.</li>
</ol>
<p>The message is the time, such as <code>2026-01-31T09:30:00Z</code> or Unix seconds; your clock may be
off by ${windowSeconds} seconds at most. Or it is any other text, which can be used for one request
only.</p></details>`;
