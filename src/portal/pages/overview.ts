import { html } from '../../process/html.js';
import { gettingStarted } from '../getting-started.js';
import { keyFigures } from '../layout/key-figures.js';
import type { AccountPage } from '../page.js';
import { termsCard } from '../terms.js';

/** The first page: the most important facts of the company. */
export const showOverview: AccountPage = {
  method: 'GET',
  path: '',
  access: 'account',
  async handle(request) {
    const { session } = request;
    return {
      kind: 'page',
      title: 'Overview',
      content: html`<h1>${session.companyName}</h1>
<p class="quiet">Signed in as ${session.email}.</p>
${await gettingStarted(request)}
${await keyFigures(request)}
${session.company.kind === 'merchant' && (await termsCard(request))}`,
    };
  },
};
