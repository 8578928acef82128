import { wasRefusedFrom } from '../../../db/access/calls.ts';
import { listSourceAddresses, removeSourceAddress } from '../../../db/access/company-access.ts';
import { addSourceAddresses } from '../../../db/catalogue/companies.ts';
import {
  isAllowlistHostname,
  MAXIMUM_NAMES,
  readAllowlistEntry,
} from '../../../http/access/allowlist.ts';
import { isInsideNetwork } from '../../../http/access/source-address.ts';
import { html } from '../../../rendering/html.ts';
import { questionPage, type ReadForm } from '../../layout/parts.ts';
import { ACCESS_PATH, idOf, type PageProblem, PORTAL_PATH, portal, redirect } from '../../page.ts';
import { changePages, ownCompany } from '../../session/changes.ts';
import { ADDRESS_LENGTH, ADDRESSES_PATH, accessPage } from './access.ts';

const MAXIMUM_ADDRESSES = 50;

const hasTooManyNames = (known: readonly { readonly address: string }[], address: string) =>
  isAllowlistHostname(address) &&
  known.filter((row) => isAllowlistHostname(row.address)).length >= MAXIMUM_NAMES;

/** Adds an address, a range or a name to the company's allow-list. */
export const addAddressForm = changePages(portal, {
  path: '/addresses',
  needs: 'develop',
  find: ownCompany,
  read: ({ form }) => readRegisteredAddress(form.text('address').slice(0, ADDRESS_LENGTH + 1)),
  confirmed: (_company, { form }) =>
    html`You are about to let calls come from <code>${form.text('address').slice(0, ADDRESS_LENGTH)}</code>.`,
  action: 'register address',
  again: accessPage,
  async work(transaction, _request, { subject: company, value: address }) {
    const known = await listSourceAddresses(transaction, company);
    const problem = problemOf(known, address);
    if (problem !== undefined) return { wrong: { address: problem } };
    const [addressId] = await addSourceAddresses(transaction, company, [address]);
    return { details: { addressId, address } };
  },
  done: ({ value: address }) => redirect(ACCESS_PATH, noticeOf(address)),
});

/** Why a company with these addresses cannot register a further one. */
function problemOf(
  known: readonly { readonly address: string }[],
  address: string,
): string | undefined {
  if (known.some((row) => row.address === address)) return `${address} is already registered.`;
  if (hasTooManyNames(known, address))
    return `There are already ${MAXIMUM_NAMES} names: register addresses, or remove a name first.`;
  return known.length < MAXIMUM_ADDRESSES
    ? undefined
    : `There are already ${MAXIMUM_ADDRESSES} addresses: register a range, or remove an address first.`;
}

const noticeOf = (address: string): string =>
  `${address} is registered.${
    isInsideNetwork(address)
      ? ' It is a private address: calls over the internet come from another address, which “Try it” ' +
        'shows next to each call.'
      : ''
  }`;

/**
 * Asks whether the source address of a call belongs to the company. An attacker with the company's
 * key differs from its servers only by the address.
 */
export const askAddAddress = portal.page({
  path: '/addresses/register',
  needs: 'develop',
  async handle(request) {
    const given = request.query.get('address') ?? '';
    const read = readRegisteredAddress(given);
    if (read.wrong) {
      const form = { ...request.form, text: (name: string) => (name === 'address' ? given : '') };
      return accessPage({ ...request, form }, read.wrong);
    }
    const { value: address } = read;
    const { services, session } = request;
    // A link from somebody else must not claim that a call came from an address.
    if (!(await wasRefusedFrom(services.database, session.company, address))) return noSuchCall;
    return questionPage(
      { ...request, path: ADDRESSES_PATH },
      {
        title: 'Is this your server?',
        text: html`<p>A call with your key came from <code>${address}</code>. Register the address
only if you know it as your own server’s.</p>
<p><strong>If it is not yours, your key was leaked:</strong> do not register it.
<a href="${ACCESS_PATH}#keys">Revoke the key</a> instead.</p>`,
        fields: html`<input type="hidden" name="address" value="${address}">`,
        button: `It is ours: register ${address}`,
        isDanger: true,
        back: `${PORTAL_PATH}/try-it`,
      },
    );
  },
});

const noSuchCall: PageProblem = {
  kind: 'problem',
  status: 404,
  title: 'There is no such call',
  text:
    'No call with one of your keys was refused from this address recently. Do not register an ' +
    'address because somebody sends you a link to it.',
};

/** Removes an address from the company's allow-list. */
export const removeAddressPages = changePages(portal, {
  path: '/addresses/:id/remove',
  needs: 'develop',
  async find(request, database) {
    const rows = await listSourceAddresses(database, request.session.company);
    const row = rows.find(({ id }) => id === idOf(request));
    return row && { ...row, isLast: rows.length === 1 };
  },
  question: ({ address, isLast }) => ({
    title: `Remove ${address}?`,
    text: html`<p>Calls from <code>${address}</code> are refused within two seconds.${
      isLast && ' It is the last address: every call will be refused.'
    }</p>`,
    button: 'Remove the address',
    isDanger: true,
    back: `${ACCESS_PATH}#addresses`,
  }),
  confirmed: ({ address }) => html`You are about to refuse calls from <code>${address}</code>.`,
  action: 'remove address',
  async work(transaction, { session }, { subject: { id: addressId } }) {
    const row = await removeSourceAddress(transaction, addressId, session.company);
    return row && { details: { addressId, address: row.address } };
  },
  done: ({ subject: { address } }) => redirect(ACCESS_PATH, `${address} is removed.`),
});

/** Reads the address of a server as people type it, or describes what is wrong with it. */
function readRegisteredAddress(text: string): ReadForm<string> {
  const written = text.trim().toLowerCase();
  const refused = (address: string) => ({ wrong: { address } });
  if (written === '') return refused('Enter an address.');
  if (/^https?:/.test(written))
    return refused('Enter the address alone, without “https://” and without a path.');
  if (/^\d+(\.\d+){3}:\d+$/.test(written))
    return refused('Omit the port: calls may come from any port.');
  const read = readAllowlistEntry(written, 'company');
  if (read.ok) return { value: read.entry };
  return refused(
    read.problem === 'unreadable'
      ? HOW_TO_WRITE
      : `This range is too wide: register one of at least /${read.leastBits}, or ask support.`,
  );
}

const HOW_TO_WRITE =
  'This address cannot be registered. Write IPv4 as 203.0.113.7, IPv6 as 2001:db8::7, a ' +
  'range with its prefix, such as 203.0.113.0/28, and a name in full, such as api.shop.example.';
