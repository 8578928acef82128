import type { CompanyKind } from '../../db/schema/all-tables.ts';
import { ownAssets } from '../../docs-site/assets.ts';
import { callForm } from '../../docs-site/pages/try-it.ts';
import { openApiDocuments } from '../../openapi/both-documents.ts';
import { operationAt, templateOf } from '../../openapi/document.ts';
import { type Html, html } from '../../rendering/html.ts';
import { ACCESS_PATH } from '../access-path.ts';
import { message } from '../layout/parts.ts';
import type { AccountRequest } from '../page.ts';
import { apiBase, apiOf } from './api-base.ts';

/**
 * Sends calls from the browser, with the script of the reference. Only in the test environment: a
 * live key does not belong in a browser.
 */
export function apiConsole(request: AccountRequest): Html {
  const { services, session, sourceAddress } = request;
  const { environment, publicUrl } = services.settings;
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

/** What a merchant signs with, and what is signed; nothing of it is a field of a form. */
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
