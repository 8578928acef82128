import { type Html, html } from '../../process/html.js';
import { ACCESS_PATH } from '../access-path.js';

/** Why a call was refused and what to do, in words; the reasons are of src/domain/reasons.ts. */
const words: Readonly<Record<string, (sourceAddress: string) => Html>> = {
  'api-key-invalid':
    () => html`The key is not right: it is unknown, revoked or over, or it is one of the
other environment. <a href="${ACCESS_PATH}#keys">Look at your keys.</a>`,
  'token-invalid':
    () => html`The token is missing, older than 300 seconds, or its key was revoked. Log in
again and send the new one in the header <code>x-api-token</code>.`,
  'address-not-registered': (
    sourceAddress,
  ) => html`The address is not registered: the call came from
<code>${sourceAddress}</code>. If that is not your server, your key is in wrong hands:
<a href="${ACCESS_PATH}#keys">revoke it.</a>`,
  'signature-invalid':
    () => html`The signature does not fit the body by any of your public keys, or its
time is off. Sign the very bytes that are sent; the answer to the call says what was wrong.`,
  'signed-request-reused':
    () => html`The signed request, or its message, was used before for something
else. Use a new message for each request, such as the time.`,
  'too-many-requests': () => html`There were too many calls. Wait for as long as the header
<code>Retry-After</code> says.`,
  'account-suspended': () => html`The account was suspended.`,
};

/** The words for one refused call. */
export const refusalLabel = (reason: string, sourceAddress: string): Html =>
  words[reason]?.(sourceAddress) ?? html`It was refused (${reason}).`;

/** How many more calls like it came, which are not kept one by one. */
export const omittedLabel = (leftOut: number): Html | false =>
  leftOut > 0 && html` <span class="quiet">And ${leftOut} more like it.</span>`;

/** A route below the base address of its API, as people know it. */
export const shortRoute = ({ route }: { readonly route: string }): string =>
  route.replace(/^\/api\/v1\/(merchant\/)?client/, '');
