import { hasCalled } from '../../db/access/calls.ts';
import {
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../db/access/company-access.ts';
import { DOCS_PATH } from '../../docs-site/page.ts';
import { type Html, html } from '../../rendering/html.ts';
import { badge } from '../layout/parts.ts';
import { ACCESS_PATH, type AccountRequest, PORTAL_PATH, portal } from '../page.ts';
import { KEY_PAIR_COMMANDS } from './access/access.ts';
import {
  apiBase,
  commandsToCopy,
  loginCommand,
  signedAnswer,
  signedCommand,
  signedRoutesOf,
} from './try-it.ts';

/** Reads the completed steps of a company towards its first call. */
async function readProgress({ services: { database }, session: { company } }: AccountRequest) {
  const keys = await listApiKeys(database, company);
  const addresses = await listSourceAddresses(database, company);
  const publicKeys =
    company.kind === 'merchant' ? await listPublicKeys(database, company.id) : undefined;
  return {
    hasKey: keys.some(({ status }) => status === 'VALID'),
    hasAddress: addresses.length > 0,
    // Partners need none.
    hasPublicKey: publicKeys?.some(({ revokedAt }) => revokedAt === null) ?? true,
    // A merchant's call is a signed one.
    hasCalled: await hasCalled(database, company, signedRoutesOf(company.kind)),
  };
}

/** The missing steps before the first call; undefined when all are done. */
export async function gettingStarted(request: AccountRequest): Promise<Html | undefined> {
  const progress = await readProgress(request);
  if (Object.values(progress).every(Boolean)) return undefined;
  const isMerchant = request.session.company.kind === 'merchant';
  const { sandboxUrl } = request.services.settings.http;
  const steps = [
    {
      isDone: progress.hasKey,
      link: html`<a href="${ACCESS_PATH}#keys">Make an API key</a>`,
    },
    {
      isDone: progress.hasAddress,
      link: html`<a href="${ACCESS_PATH}#addresses">Register your server’s address</a>`,
    },
    ...(isMerchant
      ? [
          {
            isDone: progress.hasPublicKey,
            link: html`<a href="${ACCESS_PATH}#public-keys">Register a public key</a>`,
          },
        ]
      : []),
    {
      isDone: progress.hasCalled,
      link: html`<a href="${PORTAL_PATH}/try-it">${
        isMerchant ? 'Make the first signed call' : 'Make the first call'
      }</a>`,
    },
  ];
  return html`<section class="card"><h2>Getting started</h2>
<ol class="steps">${steps.map(({ isDone, link }) => html`<li>${link} ${doneBadge(isDone)}</li>`)}</ol>
<p>The guide <a href="${DOCS_PATH}/guides/${
    isMerchant ? 'first-call-merchant' : 'first-call-partner'
  }">First call</a> explains each step.</p>
${
  sandboxUrl !== undefined &&
  html`<p>Verification codes of tests arrive on <a href="${sandboxUrl}/phone">the simulated phone</a>.</p>`
}
${
  isMerchant &&
  html`<p>All commands to copy are in <a href="${PORTAL_PATH}/getting-started">Step by step to the first
signed request</a>.</p>`
}</section>`;
}

/** Marks a completed step. */
const doneBadge = (isDone: boolean): Html | false => isDone && badge('success', 'Done');

/** The steps of a merchant's developer from a new account to the first signed request. */
export const showGettingStarted = portal.page({
  path: '/getting-started',
  title: 'Getting started',
  needs: 'develop',
  kind: 'merchant',
  async handle(request) {
    const progress = await readProgress(request);
    return html`<h1>Getting started</h1>
<p>Four steps to your first signed request. Use the computer that will call us; it needs
<code>openssl</code> and <code>curl</code>. Come back to this page after each step.</p>
<section class="card"><h2>1. Make an API key ${doneBadge(progress.hasKey)}</h2>
<p>Your server logs in with it. Copy it, and store it as a secret of your server.</p>
<p><a class="button secondary" href="${ACCESS_PATH}#keys">Make a key</a></p></section>
<section class="card"><h2>2. Register your server’s address ${doneBadge(progress.hasAddress)}</h2>
<p>The API accepts calls from registered addresses only. If this browser is on the same network as your
server, the page offers you its address.</p>
<p><a class="button secondary" href="${ACCESS_PATH}#addresses">Register an address</a></p></section>
<section class="card"><h2>3. Register your public key ${doneBadge(progress.hasPublicKey)}</h2>
<p>You sign requests with a private key that never leaves your server. Make a key pair:</p>
${commandsToCopy(KEY_PAIR_COMMANDS)}
<p>Then register the content of <code>public-key.pem</code>. The page asks you to sign a text with
<code>private-key.pem</code>, which you keep secret.</p>
<p><a class="button secondary" href="${ACCESS_PATH}#public-keys">Register a public key</a></p></section>
<section class="card"><h2>4. Send the first signed request ${doneBadge(progress.hasCalled)}</h2>
<p>In the folder of <code>private-key.pem</code>, with your API key instead of
<code>YOUR_KEY</code>:</p>
${commandsToCopy(firstRequest(request))}
<p>It claims a voucher that does not exist, so it changes nothing. The answer
${signedAnswer} means that <strong>your signature was
accepted</strong>. After any other answer, <a href="${PORTAL_PATH}/try-it">Try it</a> shows what is
missing.</p></section>`;
  },
});

const firstRequest = (request: AccountRequest): string => {
  const base = apiBase(request);
  return `${loginCommand(base)}\n\n${signedCommand(base)}`;
};
