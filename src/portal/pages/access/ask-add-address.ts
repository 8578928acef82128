import { wasRefusedFrom } from '../../../db/access/calls.ts';
import { html } from '../../../rendering/html.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { readRegisteredAddress } from '../../layout/address-descriptions.ts';
import { confirmation } from '../../layout/parts.ts';
import { type AccountPage, type PageProblem, PORTAL_PATH } from '../../page.ts';
import { accessPage } from './access.ts';
import { ADDRESSES_PATH } from './addresses.ts';

/**
 * Asks whether the source address of a call belongs to the company. An attacker with the company's
 * key differs from its servers only by the address.
 */
export const askAddAddress: AccountPage = {
  method: 'GET',
  path: '/addresses/register',
  access: 'account',
  needs: 'develop',
  async handle(request) {
    const given = request.query.get('address') ?? '';
    const read = readRegisteredAddress(given);
    if (!read.ok)
      return accessPage(request, { address: { address: given, problem: read.problem } });
    const { address } = read;
    const { services, session } = request;
    // A link from somebody else must not claim that a call came from an address.
    if (!(await wasRefusedFrom(services.database, session.company, address))) return noSuchCall;
    return confirmation({
      title: 'Is this your server?',
      text: html`<p>A call with your key came from <code>${address}</code>. Register the address
only if you know it as your own server’s.</p>
<p><strong>If it is not yours, your key was leaked:</strong> do not register it.
<a href="${ACCESS_PATH}#keys">Revoke the key</a> instead.</p>`,
      action: ADDRESSES_PATH,
      formToken: request.formToken,
      fields: html`<input type="hidden" name="address" value="${address}">`,
      button: `It is ours: register ${address}`,
      back: `${PORTAL_PATH}/try-it`,
    });
  },
};

const noSuchCall: PageProblem = {
  kind: 'problem',
  status: 404,
  title: 'There is no such call',
  text:
    'No call with one of your keys was refused from this address recently. Do not register an ' +
    'address because somebody sends you a link to it.',
};
