import type { PortalSession } from '../db/portal/portal-sessions.js';
import { html } from '../process/html.js';
import type { PageAnswer } from './page.js';

/**
 * What people of a suspended partner or a deactivated merchant see instead of every page: access
 * cannot be changed, and nothing is shown, until an operator lets the company work again.
 */
export const suspendedPage = (session: PortalSession): PageAnswer => ({
  kind: 'page',
  status: 403,
  title: 'Account suspended',
  content: html`<div class="card narrow">
<h1>This account is suspended</h1>
<p>${session.companyName} cannot use the service at the moment: its calls are refused, and its
access cannot be changed here. Money and vouchers stay as they are.</p>
<p>Contact support to have it reinstated.</p>
</div>`,
});
