import { html } from '../../rendering/html.ts';
import { ACCESS_PATH } from '../access-path.ts';
import { apiBase } from '../console/api-base.ts';
import { commands, loginCommand, signedAnswer, signedCommand } from '../console/call-examples.ts';
import { doneBadge, readProgress } from '../getting-started.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../page.ts';
import { KEY_PAIR_COMMANDS } from './access/public-keys.ts';

/** The steps of a merchant's developer from a new account to the first signed request. */
export const showGettingStarted: AccountPage = {
  method: 'GET',
  path: '/getting-started',
  access: 'account',
  needs: 'develop',
  kind: 'merchant',
  async handle(request) {
    const progress = await readProgress(request);
    return {
      kind: 'page',
      title: 'Getting started',
      content: html`<h1>Getting started</h1>
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
${commands(KEY_PAIR_COMMANDS)}
<p>Then register the content of <code>public-key.pem</code>. The page asks you to sign a text with
<code>private-key.pem</code>, which you keep secret.</p>
<p><a class="button secondary" href="${ACCESS_PATH}#public-keys">Register a public key</a></p></section>
<section class="card"><h2>4. Send the first signed request ${doneBadge(progress.hasCalled)}</h2>
<p>In the folder of <code>private-key.pem</code>, with your API key instead of
<code>YOUR_KEY</code>:</p>
${commands(firstRequest(request))}
<p>It claims a voucher that does not exist, so it changes nothing. The answer
${signedAnswer} means that <strong>your signature was
accepted</strong>. After any other answer, <a href="${PORTAL_PATH}/try-it">Try it</a> shows what is
missing.</p></section>`,
    };
  },
};

const firstRequest = (request: AccountRequest): string => {
  const base = apiBase(request);
  return `${loginCommand(base)}\n\n${signedCommand(base)}`;
};
