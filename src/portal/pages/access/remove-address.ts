import { listSourceAddresses, removeSourceAddress } from '../../../db/access/company-access.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { confirmation } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { ADDRESSES_PATH } from './addresses.ts';

const addressesOf = ({ services, session }: AccountRequest) =>
  listSourceAddresses(services.database, session.company);

/** Asks for confirmation before an address is removed. */
export const askRemoveAddress: AccountPage = {
  method: 'GET',
  path: '/addresses/:id/remove',
  access: 'account',
  needs: 'develop',
  async handle(request) {
    const { formToken } = request;
    const rows = await addressesOf(request);
    const row = rows.find(({ id }) => id === idOf(request));
    if (row === undefined) return problems.notFound;
    return confirmation({
      title: `Remove ${row.address}?`,
      text: html`<p>Calls from <code>${row.address}</code> are refused within two seconds.${
        rows.length === 1 && ' It is the last address: every call will be refused.'
      }</p>`,
      action: `${ADDRESSES_PATH}/${row.id}/remove`,
      formToken,
      button: 'Remove the address',
      back: `${ACCESS_PATH}#addresses`,
    });
  },
};

/** Removes an address from the company's allow-list. */
export const removeAddress: AccountPage = {
  method: 'POST',
  path: '/addresses/:id/remove',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const row = (await addressesOf(request)).find(({ id }) => id === idOf(request));
    return row && html`You are about to refuse calls from <code>${row.address}</code>.`;
  },
  async handle(request) {
    const addressId = idOf(request);
    const removed = await changeAccess(request, 'remove address', async (transaction) => {
      const row = await removeSourceAddress(transaction, addressId, request.session.company);
      return row && { result: row.address, details: { addressId, address: row.address } };
    });
    if (removed === undefined) return problems.notFound;
    return { kind: 'redirect', to: ACCESS_PATH, notice: `${removed} is removed.` };
  },
};
