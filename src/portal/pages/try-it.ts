import { listCalls, listRefusedCalls, type ShownCall } from '../../db/calls.js';
import { listSourceAddresses } from '../../db/company-access.js';
import { type Html, html } from '../../html.js';
import { createAddressMatcher } from '../../http/source-address.js';
import { apiBase } from '../api-base.js';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../page.js';
import { badge, emptyState, formTokenField, table, time } from '../parts.js';
import { refusalWords, shortRoute } from '../refusal-words.js';

const SHOWN_CALLS = 10;

/** Whether the last calls were let in, why not, and calls to copy. */
export const showTryIt: AccountPage = {
  method: 'GET',
  path: '/try-it',
  access: 'account',
  async handle(request) {
    const { services, session } = request;
    const calls = await lastCalls(request);
    const addresses = await listSourceAddresses(services.database, session.company);
    const isRegistered = createAddressMatcher(addresses.map(({ address }) => address));
    return {
      kind: 'page',
      title: 'Try it',
      content: html`<h1>Try it</h1>
<p>Make a call from your server, then look here whether it was let in. Calls appear within a few
seconds.</p>
<section class="card"><h2>Your last calls</h2>
${
  calls.length === 0
    ? emptyState('No call yet', 'Make the first one with the examples below.')
    : table('The last calls', calls, [
        { title: 'When', value: ({ at }) => time(at) },
        { title: 'Call', value: (call) => html`<code>${call.method} ${shortRoute(call)}</code>` },
        { title: 'From', value: (call) => html`<code>${call.sourceAddress}</code>` },
        { title: 'Key', value: ({ keyPrefix }) => keyPrefix && html`<code>${keyPrefix}…</code>` },
        { title: 'Outcome', value: (call) => outcome(request, call, isRegistered) },
      ])
}
<p><a class="button secondary" href="${PORTAL_PATH}/try-it">Look again</a></p>
</section>
${examples(request)}`,
    };
  },
};

/**
 * The company's calls; and those that nobody could be told to have made, such as with an unknown
 * key, as far as they came from the address that the person is calling from.
 */
async function lastCalls({ services, session, sourceAddress }: AccountRequest) {
  const own = await listCalls(services.database, session.company, SHOWN_CALLS);
  const near = await listRefusedCalls(services.database, { sourceAddress, limit: SHOWN_CALLS });
  const nobodys: ShownCall[] = near
    .filter((call) => call.companyId === null && call.surface === session.company.kind)
    .map((call) => ({ ...call, admitted: false, statusCode: null }));
  return [...own, ...nobodys].sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, SHOWN_CALLS);
}

function outcome(
  { formToken }: AccountRequest,
  call: ShownCall,
  isRegistered: (address: string) => boolean,
): Html {
  if (call.admitted)
    return call.statusCode === 200
      ? badge('success', 'Let in')
      : html`${badge('success', 'Let in')} and answered ${call.statusCode}`;
  const { reason, sourceAddress } = call;
  const isMissing = reason === 'address-not-registered' && !isRegistered(sourceAddress);
  return html`${badge('danger', 'Refused')} ${refusalWords(reason ?? '', sourceAddress)}
${call.leftOut > 0 && html`<span class="quiet">And ${call.leftOut} more like it.</span>`}
${
  isMissing &&
  html`<form method="post" action="${PORTAL_PATH}/addresses">${formTokenField(formToken)}
<input type="hidden" name="address" value="${sourceAddress}">
<button class="secondary">Register ${sourceAddress}</button></form>`
}`;
}

function examples(request: AccountRequest): Html {
  const base = apiBase(request);
  const isMerchant = request.session.company.kind === 'merchant';
  const method = isMerchant ? '-X POST ' : '';
  return html`<section class="card"><h2>Log in</h2>
<p>Put your key in the place of <code>YOUR_KEY</code>. The answer holds the <code>accessToken</code>.</p>
<pre tabindex="0"><code>curl -s ${base}/auth/login \\
  -H 'Content-Type: application/json' \\
  -d '{"key":"YOUR_KEY"}'</code></pre></section>
<section class="card"><h2>Check the configuration</h2>
<p>With the token in the place of <code>YOUR_TOKEN</code>, within 300 seconds.</p>
<pre tabindex="0"><code>curl -s ${method}${base}/test \\
  -H 'x-api-token: YOUR_TOKEN'</code></pre></section>
${isMerchant && signedExample(base)}`;
}

const signedExample = (base: string): Html => html`<section class="card"><h2>A signed call</h2>
<p>Claims and redemptions are signed: body, a line feed and the time.</p>
<pre tabindex="0"><code>body='{"voucherCode":"CODE","idempotencyKey":"first-try"}'
message=$(date -u +%Y-%m-%dT%H:%M:%SZ)
signature=$(printf '%s\\n%s' "$body" "$message" |
  openssl dgst -sha256 -sign private-key.pem | openssl base64 -A)
curl -s ${base}/topup-transactions/initiate-claim \\
  -H 'x-api-token: YOUR_TOKEN' -H "x-signature: $signature\\\\n$message" \\
  -H 'Content-Type: application/json' -d "$body"</code></pre>
<p class="quiet">“No voucher with the code” means that the signature was accepted.</p></section>`;
