import { mayUse } from '../../domain/access/portal-role.js';
import { html } from '../../rendering/html.js';
import { gettingStarted } from '../getting-started.js';
import { balanceCards } from '../layout/key-figures.js';
import { businessOverview } from '../overview.js';
import type { AccountPage } from '../page.js';
import { termsCard } from '../terms.js';

/** The first page: the most important facts of the company. */
export const showOverview: AccountPage = {
  method: 'GET',
  path: '',
  access: 'account',
  needs: 'read',
  async handle(request) {
    const { session } = request;
    return {
      kind: 'page',
      title: 'Overview',
      content: html`<h1>${session.companyName}</h1>
<p class="quiet">Signed in as ${session.email}.</p>
${mayUse(session.role, 'develop') && (await gettingStarted(request))}
${session.company.kind === 'partner' && (await balanceCards(request))}
${await businessOverview(request)}
${session.company.kind === 'merchant' && (await termsCard(request))}`,
    };
  },
};
