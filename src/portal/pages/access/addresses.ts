import { listSourceAddresses } from '../../../db/access/company-access.ts';
import { createAddressMatcher } from '../../../http/access/source-address.ts';
import { type Html, html } from '../../../rendering/html.ts';
import {
  emptyState,
  field,
  formTokenField,
  message,
  postForm,
  table,
  time,
} from '../../layout/parts.ts';
import { type AccountRequest, PORTAL_PATH } from '../../page.ts';

export const ADDRESSES_PATH = `${PORTAL_PATH}/addresses`;
/** Maximum length of a host name. */
export const ADDRESS_LENGTH = 253;

/** The problem of a new address. */
export interface WrongAddress {
  readonly address: string;
  readonly problem: string;
}

/** The addresses that the company's servers may call from. */
export async function addressesPart(request: AccountRequest, wrong?: WrongAddress): Promise<Html> {
  const { services, session, formToken } = request;
  const rows = await listSourceAddresses(services.database, session.company);
  return html`<section class="page-part" aria-labelledby="addresses"><h2 id="addresses">Addresses</h2>
<p>The API accepts calls from these addresses only. They are the public addresses of your
servers. A new one takes effect within
${services.settings.accessCacheSeconds} s.</p>
${
  rows.length === 0 &&
  message(
    'warning',
    html`<strong>No address is registered: every call is refused, including log-in.</strong> Add the address of
your server.`,
  )
}
<section class="card"><h3>Registered addresses</h3>
${
  rows.length === 0
    ? emptyState('None yet', 'Add the first one below.')
    : table('Registered addresses', rows, [
        { title: 'Address', value: ({ address }) => html`<code>${address}</code>` },
        { title: 'Added', value: ({ createdAt }) => time(createdAt) },
        {
          title: 'Change',
          value: ({ id, address }) =>
            html`<a href="${ADDRESSES_PATH}/${id}/remove">Remove<span class="visually-hidden">
${address}</span></a>`,
        },
      ])
}
</section>
<section class="card"><h3>Add an address</h3>
${postForm(
  { action: ADDRESSES_PATH, formToken },
  html`${field({
    name: 'address',
    label: 'Address',
    hint: 'IPv4, IPv6, a range such as 203.0.113.0/28, or a name such as api.shop.example.',
    value: wrong?.address ?? '',
    error: wrong?.problem,
    maximumLength: ADDRESS_LENGTH,
  })}
<button>Add the address</button>`,
)}
</section>
${yourAddress(
  request,
  rows.map(({ address }) => address),
)}</section>`;
}

/** The browser's address, which equals the server's only within one network. */
function yourAddress(request: AccountRequest, registered: readonly string[]) {
  const { sourceAddress, formToken } = request;
  if (sourceAddress === '') return undefined;
  const isRegistered = createAddressMatcher(registered)(sourceAddress);
  return html`<section class="card"><h3>The address of your browser</h3>
<p>Your browser’s address is <code>${sourceAddress}</code>. ${
    isRegistered
      ? 'It is registered.'
      : 'Add it if your server calls from the same network as your browser.'
  }</p>
${
  !isRegistered &&
  html`<form method="post" action="${ADDRESSES_PATH}">${formTokenField(formToken)}
<input type="hidden" name="address" value="${sourceAddress}">
<button class="secondary">Add ${sourceAddress}</button></form>`
}
</section>`;
}
