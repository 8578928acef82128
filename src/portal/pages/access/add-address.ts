import { listSourceAddresses } from '../../../db/access/company-access.ts';
import { addSourceAddresses } from '../../../db/catalogue/companies.ts';
import { isAllowlistHostname, MAXIMUM_NAMES } from '../../../http/access/allowlist-entries.ts';
import { isInsideNetwork } from '../../../http/access/source-address.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { readRegisteredAddress } from '../../layout/address-descriptions.ts';
import type { AccountPage } from '../../page.ts';
import { accessPage } from './access.ts';
import { ADDRESS_LENGTH } from './addresses.ts';

const MAXIMUM_ADDRESSES = 50;

const hasTooManyNames = (known: readonly { readonly address: string }[], address: string) =>
  isAllowlistHostname(address) &&
  known.filter((row) => isAllowlistHostname(row.address)).length >= MAXIMUM_NAMES;

/** Adds an address, a range or a name to the company's allow-list. */
export const addAddress: AccountPage = {
  method: 'POST',
  path: '/addresses',
  access: 'account',
  needs: 'develop',
  confirmation: ({ form }) =>
    html`You are about to let calls come from <code>${form.text('address').slice(0, ADDRESS_LENGTH)}</code>.`,
  async handle(request) {
    const given = request.form.text('address').slice(0, ADDRESS_LENGTH + 1);
    const read = readRegisteredAddress(given);
    if (!read.ok)
      return accessPage(request, { address: { address: given, problem: read.problem } });
    const { address } = read;
    const { company } = request.session;
    const outcome = await changeAccess(request, 'register address', async (transaction) => {
      const known = await listSourceAddresses(transaction, company);
      if (known.some((row) => row.address === address)) return undefined;
      if (known.length >= MAXIMUM_ADDRESSES || hasTooManyNames(known, address)) return undefined;
      const [addressId] = await addSourceAddresses(transaction, company, [address]);
      return { result: 'added', details: { addressId, address } };
    });
    if (outcome !== undefined)
      return { kind: 'redirect', to: ACCESS_PATH, notice: noticeOf(address) };
    const known = await listSourceAddresses(request.services.database, company);
    const problem = known.some((row) => row.address === address)
      ? `${address} is already registered.`
      : hasTooManyNames(known, address)
        ? `There are already ${MAXIMUM_NAMES} names: register addresses, or remove a name first.`
        : `There are already ${MAXIMUM_ADDRESSES} addresses: register a range, or remove an address first.`;
    return accessPage(request, { address: { address: given, problem } });
  },
};

const noticeOf = (address: string): string =>
  `${address} is registered.${
    isInsideNetwork(address)
      ? ' It is a private address: calls over the internet come from another address, which “Try it” ' +
        'shows beside each call.'
      : ''
  }`;
