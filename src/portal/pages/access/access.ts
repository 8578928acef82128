import { html } from '../../../rendering/html.ts';
import type { AccountPage, AccountRequest, PageAnswer } from '../../page.ts';
import { addressesPart, type WrongAddress } from './addresses.ts';
import { apiKeysPart, type WrongKey } from './api-keys.ts';
import { publicKeysPart, type WrongPublicKey } from './public-keys.ts';

/** The problem of a sent form of this page. */
interface Wrong {
  readonly newKey?: WrongKey;
  readonly address?: WrongAddress;
  readonly publicKey?: WrongPublicKey;
}

/** API keys, addresses and public keys on one page (specification 5). */
export const showAccess: AccountPage = {
  method: 'GET',
  path: '/access',
  access: 'account',
  needs: 'develop',
  handle: (request) => accessPage(request),
};

/** The page with the problem of a sent form. */
export async function accessPage(request: AccountRequest, wrong: Wrong = {}): Promise<PageAnswer> {
  const isMerchant = request.session.company.kind === 'merchant';
  return {
    kind: 'page',
    title: 'Keys and addresses',
    ...(Object.values(wrong).some(Boolean) ? { status: 422 } : {}),
    content: html`<h1>Keys and addresses</h1>
<p>Your servers need a key and a registered address${isMerchant && ', and sign with a key pair'}.</p>
<nav aria-label="On this page"><ul class="page-parts">
<li><a href="#keys">API keys</a></li>
<li><a href="#addresses">Addresses</a></li>
${isMerchant && html`<li><a href="#public-keys">Public keys</a></li>`}
</ul></nav>
${await apiKeysPart(request, wrong.newKey)}
${await addressesPart(request, wrong.address)}
${isMerchant && (await publicKeysPart(request, wrong.publicKey))}`,
  };
}
