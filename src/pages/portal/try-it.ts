import { listCalls, listRefusedCalls, type ShownCall } from '../../db/access/calls.ts';
import { listSourceAddresses } from '../../db/access/company-access.ts';
import { ownAssets } from '../../docs-site/layout.ts';
import { operationAddress } from '../../docs-site/pages/reference.ts';
import { callForm } from '../../docs-site/pages/try-it.ts';
import { httpStatusOf, messageOf, statusCodeOf } from '../../domain/refusals.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import { createAddressMatcher } from '../../http/access/source-address.ts';
import type { SurfaceRoutes } from '../../http/app.ts';
import { type Endpoint, scopeOf } from '../../http/endpoint.ts';
import { SIGNATURE_WINDOW_SECONDS } from '../../http/signature/verify-signature.ts';
import { merchantRoutes } from '../../merchant/routes.ts';
import { openApiDocuments } from '../../openapi/both-documents.ts';
import { operationAt, templateOf } from '../../openapi/document.ts';
import { partnerRoutes } from '../../partner/routes.ts';
import { type Html, html } from '../../rendering/html.ts';
import { omittedLabel, refusalLabel, shortRoute } from '../layout/labels.ts';
import {
  badge,
  emptyState,
  message,
  type TableColumn,
  table,
  textColumn,
  timeColumn,
} from '../layout/parts.ts';
import { ACCESS_PATH, type AccountRequest, PORTAL_PATH, portal } from '../page.ts';

/** The API for companies of a kind. */
const apiOf = (kind: CompanyKind): SurfaceRoutes =>
  kind === 'partner' ? partnerRoutes : merchantRoutes;

/** The base address of a company's API. */
export const apiBase = ({ services, session }: AccountRequest): string =>
  services.settings.http.publicUrl + apiOf(session.company.kind).basePath;

/** The signed routes of an API, in the form of recorded calls. */
export function signedRoutesOf(kind: CompanyKind): string[] {
  const { basePath, endpoints } = apiOf(kind);
  return endpoints.filter(({ access }) => access === 'signed').map(({ path }) => basePath + path);
}

/** Calls for one shell session, in order: each uses the variables of the previous ones. */

/** Logs in with a key, and stores the token in `$token`. */
export const loginCommand = (base: string): string => `key=YOUR_KEY
token=$(curl -s ${base}/auth/login \\
  -H 'Content-Type: application/json' -d "{\\"key\\":\\"$key\\"}" |
  sed -n 's/.*"accessToken": *"\\([^"]*\\)".*/\\1/p')`;

/** Checks key, token and address. */
const testCommand = (base: string, method: 'GET' | 'POST'): string =>
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
const NO_SUCH_VOUCHER = statusCodeOf('voucher-not-found', 'merchant', 'initiate-claim');
export const signedAnswer = `${NO_SUCH_VOUCHER}, “${messageOf('voucher-not-found')}”,`;

/** A script adds a button. */
export const commandsToCopy = (text: string): Html =>
  html`<div class="commands"><pre tabindex="0" data-copy><code>${text}</code></pre></div>`;

/** Explains x-signature for other languages (specification 5). */
const signatureHelp = (windowSeconds: number): Html => html`<details>
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

/**
 * Sends calls from the browser, with the script of the reference. Only in the test environment: a
 * live key does not belong in a browser.
 */
function apiConsole(request: AccountRequest): Html {
  const { services, session, sourceAddress } = request;
  const { environment } = services.settings.process;
  const { publicUrl } = services.settings.http;
  const { kind } = session.company;
  const content =
    environment === 'test'
      ? html`<noscript>${message('notice', 'The console needs scripts. The commands below do the same.')}</noscript>
<div class="console" data-console hidden>
<p>The calls go from your browser, so its address, now <code>${sourceAddress}</code>, must be
<a href="${ACCESS_PATH}#addresses">registered</a>. Log in with a
<a href="${ACCESS_PATH}#keys">test key</a> first: the token goes into the other calls.</p>
<form class="call" data-try-it data-method="POST" data-url="${apiBase(request)}/auth/login">
<label>Test key<input name="key" data-place="body" placeholder="gvs_test_…" autocomplete="off" spellcheck="false" required></label>
<button>Log in</button>
<div class="answer" data-answer role="status"></div>
</form>
${callsOnce(kind, publicUrl, apiBase(request))}
</div>`
      : message(
          'notice',
          html`There is no console in the live environment: a call from here would move real money,
and a live key or a private key does not belong in a browser. Use the console of the test environment.`,
        );
  return html`<section class="card" aria-labelledby="console"><h2 id="console">Console</h2>
${content}</section>`;
}

/** The calls of a kind of company change with a new version only. */
const madeCalls = new Map<string, Html>();

function callsOnce(kind: CompanyKind, publicUrl: string, base: string): Html {
  const made = madeCalls.get(base) ?? callsOf(kind, publicUrl, base);
  madeCalls.set(base, made);
  return made;
}

function callsOf(kind: CompanyKind, publicUrl: string, base: string): Html {
  const document = openApiDocuments(publicUrl)[kind];
  const calls = apiOf(kind).endpoints.flatMap((endpoint) => {
    const operation = operationAt(document, endpoint);
    if (!operation || endpoint.path === '/auth/login') return [];
    const path = templateOf(endpoint.path);
    return [{ endpoint, operation, url: base + path, name: `${endpoint.method} ${path}` }];
  });
  return html`<label>Call<select data-choice autocomplete="off">${calls.map(
    ({ name, endpoint }) => html`<option value="${name}">${endpoint.summary} (${name})</option>`,
  )}</select></label>
${kind === 'merchant' && signer}
${calls.map((call) => html`<div data-call="${call.name}">${callForm(call)}</div>`)}`;
}

/** The key and the text of a merchant's signature; neither is a field of a form. */
const signer = html`<fieldset data-signer data-module="${ownAssets.signModule.path}">
<legend>Signature</legend>
<p class="quiet">The key pair of the test environment alone. The private key stays in this page: it is neither
sent nor stored.</p>
<label>Private key (PEM)<textarea rows="4" data-signer-field="key" autocomplete="off" spellcheck="false"></textarea></label>
<label>Or its file<input type="file"></label>
<label>Message (empty: the time now)<input data-signer-field="message" autocomplete="off" spellcheck="false"></label>
<label>What is signed<select data-signer-field="covers" autocomplete="off">
<option value="both">Body, line feed and message</option>
<option value="body">Body alone</option>
<option value="unseparated">Wrong: body and message without a line feed</option>
<option value="escaped">Wrong: body, the two characters \\n, message</option>
</select></label>
<label>Or x-signature of your own program<input data-signer-field="own" autocomplete="off" spellcheck="false"></label>
</fieldset>`;

const SHOWN_CALLS = 10;
/** How long calls with an unknown key are shown. */
const NOBODYS_SECONDS = 900;

/** The last calls, why they were refused, and example calls to copy. */
export const showTryIt = portal.page({
  path: '/try-it',
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
      callsApi: request.services.settings.process.environment === 'test',
      content: html`<h1>Try it</h1>
<p>Make a call here or from your server, then check whether it was accepted. Calls appear within a few
seconds.</p>
${apiConsole(request)}
${parts}
${endpointTable(request)}`,
    };
  },
});

const lastCalls = (
  calls: readonly ShownCall[],
  outcomeOf: (call: ShownCall) => Html,
): Html => html`<section class="card"><h2>Your last calls</h2>
${
  calls.length === 0
    ? emptyState('No call yet', 'Make the first one with the examples above.')
    : callTable('The last calls', calls, textColumn('Outcome', outcomeOf))
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
${callTable('Calls by an unknown key', calls, textColumn('Outcome', refusal))}
</section>`;
}

type Shown = Pick<
  ShownCall,
  'at' | 'method' | 'route' | 'sourceAddress' | 'keyPrefix' | 'detail' | 'leftOut'
>;

/** Calls, with what came of them. */
export const callTable = <Call extends Shown>(
  caption: string,
  calls: readonly Call[],
  outcomes: TableColumn<NoInfer<Call>>,
  none?: Html,
): Html =>
  table(
    caption,
    calls,
    [
      timeColumn('When', 'at'),
      textColumn('Call', (call) => html`<code>${call.method} ${shortRoute(call)}</code>`),
      textColumn('From', (call) => html`<code>${call.sourceAddress}</code>`),
      textColumn('Key', ({ keyPrefix }) => keyPrefix && html`<code>${keyPrefix}…</code>`),
      outcomes,
    ],
    none,
  );

/** Why a call was refused. */
export const refusalOf = (call: Shown & { readonly reason: string | null }): Html =>
  html`${refusalLabel(call.reason ?? '', call.sourceAddress, call.detail)}${omittedLabel(call.leftOut)}`;

const refusal = (call: Parameters<typeof refusalOf>[0]): Html =>
  html`${badge('danger', 'Refused')} ${refusalOf(call)}`;

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
${commandsToCopy(`${loginCommand(base)}\necho "Token: $token"`)}</section>
<section class="card"><h2>Check the configuration</h2>
<p>Run it within 300 seconds after the log-in; then the token expires.</p>
${commandsToCopy(testCommand(base, isMerchant ? 'POST' : 'GET'))}</section>
${isMerchant && signedExample(base)}`;
}

const signedExample = (base: string): Html => html`<section class="card">
<h2>A signed call</h2>
<p>Claims and redemptions are signed: body, a line feed and the time. Go to the folder that holds
<code>private-key.pem</code> first.</p>
${commandsToCopy(signedCommand(base))}
<p>The answer ${signedAnswer} means that <strong>the signature was accepted</strong>.</p>
${signatureHelp(SIGNATURE_WINDOW_SECONDS)}</section>`;

/** The endpoints that a developer can call. */
const endpointTable = ({ session }: AccountRequest): Html => html`<section class="card">
<h2>What you can call</h2>
<p>Each call leads to its fields, its answers and its errors.</p>
${table('Calls of the API', apiOf(session.company.kind).endpoints, [
  textColumn(
    'Call',
    (endpoint) =>
      html`<a href="${operationAddress(session.company.kind, endpoint)}"><code>${endpoint.method} ${endpoint.path}</code></a>`,
    'head',
  ),
  textColumn('Purpose', 'summary', 'plain'),
  textColumn('Needs', needsOf, 'plain'),
])}
</section>`;

const needs = { public: 'A key', token: 'The token', signed: 'Token and signature' } as const;

/** What a call needs, with the scope of the key. */
function needsOf(endpoint: Endpoint): Html {
  const scope = scopeOf(endpoint);
  return html`${needs[endpoint.access]}${scope && html`, scope <code>${scope}</code>`}`;
}
