import { html } from '../../rendering/html.ts';
import { balanceCards } from '../layout/key-figures.ts';
import type { AccountPage } from '../page.ts';

/** A partner's three balances (specification 2.10), with links to their statements. */
export const showBalances: AccountPage = {
  method: 'GET',
  path: '/balances',
  access: 'account',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    return {
      kind: 'page',
      title: 'Balances',
      content: html`<h1>Balances</h1>
<p>The current balances of the ledger. Each statement explains its balance line by line.</p>
${await balanceCards(request)}
<p class="quiet">To put money into a wallet, pay it to the service; an operator books the deposit.</p>`,
    };
  },
};
