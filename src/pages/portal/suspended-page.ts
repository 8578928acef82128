import type { PortalSession } from '../../db/people/sign-ins.ts';
import { html } from '../../rendering/html.ts';
import type { PageAnswer } from '../page.ts';

/**
 * Replaces every page for people of a suspended partner or a deactivated merchant: nothing is shown
 * or changed until an operator reinstates the company.
 */
export const suspendedPage = (session: PortalSession): PageAnswer => ({
  kind: 'page',
  status: 403,
  title: 'Account suspended',
  content: html`<div class="card narrow">
<h1>This account is suspended</h1>
<p>${session.companyName} cannot use the service at the moment: its calls are refused, and its
access cannot be changed here. Money and vouchers are unaffected.</p>
<p>Contact support to reinstate it.</p>
</div>`,
});
