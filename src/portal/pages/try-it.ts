import { listCalls, listRefusedCalls, type ShownCall } from '../../db/access/calls.ts';
import { listSourceAddresses } from '../../db/access/company-access.ts';
import { operationAddress } from '../../docs-site/reference-paths.ts';
import { httpStatusOf } from '../../domain/refusals.ts';
import { createAddressMatcher } from '../../http/access/source-address.ts';
import { type Endpoint, scopeOf } from '../../http/endpoint.ts';
import { SIGNATURE_WINDOW_SECONDS } from '../../http/signature/verify-signature.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import { apiBase, apiOf } from '../console/api-base.ts';
import {
  commands,
  loginCommand,
  NO_SUCH_VOUCHER,
  signatureHelp,
  signedAnswer,
  signedCommand,
  testCommand,
} from '../console/call-examples.ts';
import { apiConsole } from '../console/console.ts';
import { badge, emptyState, table, time } from '../layout/parts.ts';
import { omittedLabel, refusalLabel, shortRoute } from '../layout/refusal-labels.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../page.ts';

const SHOWN_CALLS = 10;
/** How long calls with an unknown key are shown. */
const NOBODYS_SECONDS = 900;

/** The last calls, why they were refused, and example calls to copy. */
export const showTryIt: AccountPage = {
  method: 'GET',
  path: '/try-it',
  access: 'account',
  needs: 'develop',
  async handle(request) {
    const { database } = request.services;
    const { company } = request.session;
    const calls = await listCalls(database, company, SHOWN_CALLS);
    const addresses = await listSourceAddresses(database, company);
    const isRegistered = createAddressMatcher(addresses.map(({ address }) => address));
    const outcomeOf = (call: ShownCall) => outcome(call, isRegistered);
    const parts = [html`${lastCalls(calls, outcomeOf)}${await nobodysCalls(request)}`];
    // Before the first call the examples come first.
    if (calls.length === 0) parts.unshift(examples(request));
    else parts.push(examples(request));
    return {
      kind: 'page',
      title: 'Try it',
      callsApi: request.services.settings.environment === 'test',
      content: html`<h1>Try it</h1>
<p>Make a call here or from your server, then check whether it was accepted. Calls appear within a few
seconds.</p>
${apiConsole(request)}
${parts}
${endpointTable(request)}`,
    };
  },
};

const lastCalls = (
  calls: readonly ShownCall[],
  outcomeOf: (call: ShownCall) => Html,
): Html => html`<section class="card"><h2>Your last calls</h2>
${
  calls.length === 0
    ? emptyState('No call yet', 'Make the first one with the examples above.')
    : callTable('The last calls', calls, outcomeOf)
}
<p><a class="button secondary" href="${PORTAL_PATH}/try-it">Refresh</a></p>
</section>`;

/**
 * Unauthenticated calls, such as with an unknown key, from the address of the person's browser.
 * Others may share that address.
 */
async function nobodysCalls({ services, session, sourceAddress }: AccountRequest) {
  const calls = await listRefusedCalls(services.database, {
    sourceAddress,
    nobodys: { surface: session.company.kind, ageSeconds: NOBODYS_SECONDS },
    limit: SHOWN_CALLS,
  });
  if (calls.length === 0) return undefined;
  return html`<section class="card"><h2>From your address, by an unknown key</h2>
<p>Calls of the last 15 minutes that came from your address, <code>${sourceAddress}</code>. They may
not be yours, because others may share the address.</p>
${callTable('Calls by an unknown key', calls, refusal)}
</section>`;
}

type Shown = Pick<
  ShownCall,
  'at' | 'method' | 'route' | 'sourceAddress' | 'keyPrefix' | 'detail' | 'leftOut'
>;

const callTable = <Call extends Shown>(
  caption: string,
  calls: readonly Call[],
  outcomeOf: (call: Call) => HtmlValue,
): Html =>
  table(caption, calls, [
    { title: 'When', value: ({ at }) => time(at) },
    { title: 'Call', value: (call) => html`<code>${call.method} ${shortRoute(call)}</code>` },
    { title: 'From', value: (call) => html`<code>${call.sourceAddress}</code>` },
    { title: 'Key', value: ({ keyPrefix }) => keyPrefix && html`<code>${keyPrefix}…</code>` },
    { title: 'Outcome', value: outcomeOf },
  ]);

const refusal = (call: Shown & { readonly reason: string | null }): Html =>
  html`${badge('danger', 'Refused')} ${refusalLabel(call.reason ?? '', call.sourceAddress, call.detail)}${omittedLabel(
    call.leftOut,
  )}`;

function outcome(call: ShownCall, isRegistered: (address: string) => boolean): Html {
  const { statusCode, sourceAddress } = call;
  if (call.admitted) {
    const issues = call.detail && html`<br><span class="quiet">${call.detail}</span>`;
    return html`${admitted(statusCode)}${issues}`;
  }
  const isMissing = call.reason === 'address-not-registered' && !isRegistered(sourceAddress);
  const question = `${PORTAL_PATH}/addresses/register?address=${encodeURIComponent(sourceAddress)}`;
  return html`${refusal(call)}
${isMissing && html`<br><a href="${question}">Is ${sourceAddress} your server?</a>`}`;
}

/** The status as the caller got it: only a success is green. */
function admitted(statusCode: number | null): Html {
  if (statusCode === 200 || statusCode === null)
    return html`Let in, ${badge('success', 'answered 200')}`;
  const meaning = statusCode === NO_SUCH_VOUCHER && ' (no such voucher)';
  const tone = httpStatusOf(statusCode) < 500 ? 'warning' : 'danger';
  return html`Let in, ${badge(tone, `answered ${statusCode}`)}${meaning}`;
}

function examples(request: AccountRequest): Html {
  const base = apiBase(request);
  const isMerchant = request.session.company.kind === 'merchant';
  return html`<section class="card"><h2>Log in</h2>
<p>Replace <code>YOUR_KEY</code> with your key. The command stores the <code>accessToken</code>
in <code>$token</code>, for the calls below in the same window. If nothing follows “Token:”, the call
was refused: “Your last calls” shows why.</p>
${commands(`${loginCommand(base)}\necho "Token: $token"`)}</section>
<section class="card"><h2>Check the configuration</h2>
<p>Run it within 300 seconds after the log-in; then the token expires.</p>
${commands(testCommand(base, isMerchant ? 'POST' : 'GET'))}</section>
${isMerchant && signedExample(base)}`;
}

const signedExample = (base: string): Html => html`<section class="card">
<h2>A signed call</h2>
<p>Claims and redemptions are signed: body, a line feed and the time. Go to the folder that holds
<code>private-key.pem</code> first.</p>
${commands(signedCommand(base))}
<p>The answer ${signedAnswer} means that <strong>the signature was accepted</strong>.</p>
${signatureHelp(SIGNATURE_WINDOW_SECONDS)}</section>`;

/** The endpoints that a developer can call. */
const endpointTable = ({ session }: AccountRequest): Html => html`<section class="card">
<h2>What you can call</h2>
<p>Each call leads to its fields, its answers and its errors.</p>
${table('Calls of the API', apiOf(session.company.kind).endpoints, [
  {
    title: 'Call',
    phone: 'head',
    value: (endpoint) =>
      html`<a href="${operationAddress(session.company.kind, endpoint)}"><code>${endpoint.method} ${endpoint.path}</code></a>`,
  },
  { title: 'Purpose', phone: 'plain', value: ({ summary }) => summary },
  { title: 'Needs', phone: 'plain', value: needsOf },
])}
</section>`;

const needs = { public: 'A key', token: 'The token', signed: 'Token and signature' } as const;

/** What a call needs, with the scope of the key. */
function needsOf(endpoint: Endpoint): Html {
  const scope = scopeOf(endpoint);
  return html`${needs[endpoint.access]}${scope && html`, scope <code>${scope}</code>`}`;
}
