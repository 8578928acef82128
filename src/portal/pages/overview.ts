import { mayUse } from '../../domain/access/portal-role.ts';
import { html } from '../../rendering/html.ts';
import { gettingStarted } from '../getting-started.ts';
import { balanceCards } from '../layout/key-figures.ts';
import { businessOverview } from '../overview.ts';
import type { AccountPage } from '../page.ts';
import { termsCard } from '../terms.ts';

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
