import { type Html, html } from '../../rendering/html.ts';
import { ACCESS_PATH } from '../access-path.ts';

/** Explains a refused call and its remedy; the reasons are those of src/domain/reasons.ts. */
const words: Readonly<
  Record<string, (sourceAddress: string, detail: string | null | undefined) => Html>
> = {
  'api-key-invalid':
    () => html`The key is not valid: it is unknown, revoked or expired, or it belongs to the
other environment. <a href="${ACCESS_PATH}#keys">Check your keys.</a>`,
  'token-invalid':
    () => html`The token is missing, older than 300 seconds, or its key was revoked. Log in
again and send the new one in the header <code>x-api-token</code>.`,
  'address-not-registered': (
    sourceAddress,
  ) => html`The address is not registered: the call came from
<code>${sourceAddress}</code>. If that is not your server, your key was leaked:
<a href="${ACCESS_PATH}#keys">revoke it.</a>`,
  'signature-invalid': (_sourceAddress, detail) =>
    html`${
      detail ??
      `The signature does not match the body under any of your public keys, or its time is wrong. Sign
exactly the bytes that you send. The answer to the call says which mistake it was.`
    } <a href="/docs/guides/sign-requests#what-each-refusal-means">The guide explains each mistake.</a>`,
  'signed-request-reused':
    () => html`The signed request, or its message, was used before for a different
request. Use a new message for each request, such as the time.`,
  'too-many-requests': () => html`There were too many calls. Wait for the seconds of the header
<code>Retry-After</code>.`,
  'account-suspended': () => html`The account was suspended.`,
};

/** The explanation of one refused call; `detail` is what its record says was wrong. */
export const refusalLabel = (reason: string, sourceAddress: string, detail?: string | null): Html =>
  words[reason]?.(sourceAddress, detail) ?? html`The call was refused (${reason}).`;

/** The number of further similar calls, which are only counted. */
export const omittedLabel = (leftOut: number): Html | false =>
  leftOut > 0 && html` <span class="quiet">And ${leftOut} more like it.</span>`;

/** The route below the base address of its API. */
export const shortRoute = ({ route }: { readonly route: string }): string =>
  route.replace(/^\/api\/v1\/(merchant\/)?client/, '');
