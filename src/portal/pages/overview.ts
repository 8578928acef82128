import { html } from '../../html.js';
import type { AccountPage } from '../page.js';

/** The first page: what a company's people need to know at a glance. */
export const showOverview: AccountPage = {
  method: 'GET',
  path: '',
  access: 'account',
  handle: ({ session }) =>
    Promise.resolve({
      kind: 'page',
      title: 'Overview',
      content: html`<h1>${session.companyName}</h1>
<p class="quiet">Signed in as ${session.email}.</p>`,
    }),
};
