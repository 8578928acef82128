import { listAccessChanges } from '../../../db/access/calls.ts';
import {
  type ListedAddress,
  type ListedKey,
  type ListedPublicKey,
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../../db/access/company-access.ts';
import { accessChangeOf, changedSubject, PORTAL_ACTOR } from '../../../domain/access.ts';
import { fingerprintOf } from '../../../http/signature/public-key.ts';
import { html } from '../../../rendering/html.ts';
import { apiKeyPower, apiKeyState } from '../../layout/company-parts.ts';
import { badge, emptyState, table, textColumn, time, timeColumn } from '../../layout/parts.ts';
import { companyPages, declarePart, partPage } from './company-pages.ts';

/** The beginning of an address or a name: enough to compare it with what a caller says. */
function addressPrefix(address: string): string {
  const separator = address.includes(':') ? ':' : '.';
  const isName = separator === '.' && /[a-z]/i.test(address);
  return [...address.split(separator).slice(0, isName ? 1 : 2), '…'].join(separator);
}

/** The API keys of a company by their prefixes. */
export const keysPart = declarePart<ListedKey>({
  path: '/keys',
  title: 'API keys',
  nothing: 'The company has no API key, and cannot call the API.',
  read: ({ services }, company, page) => listApiKeys(services.database, company, page),
  columns: () => [
    textColumn('Name', 'name', 'head'),
    textColumn('Begins with', ({ prefix }) => html`<code>${prefix}…</code>`, 'plain'),
    textColumn('May', apiKeyPower),
    textColumn('State', apiKeyState, 'plain'),
    textColumn(
      'Last used',
      ({ lastUsedAt, lastUsedAddress }) =>
        lastUsedAt
          ? html`${time(lastUsedAt)}${lastUsedAddress && html` from <code>${addressPrefix(lastUsedAddress)}</code>`}`
          : 'Never',
      'plain',
    ),
  ],
});

/** Where the company may call from, by the beginnings. */
export const addressesPart = declarePart<ListedAddress>({
  path: '/addresses',
  title: 'Addresses',
  nothing: 'No address is registered: every call is refused.',
  read: ({ services }, company, page) => listSourceAddresses(services.database, company, page),
  columns: () => [
    textColumn(
      'Begins with',
      ({ address }) => html`<code>${addressPrefix(address)}</code>`,
      'head',
    ),
    timeColumn('Added', 'createdAt'),
  ],
});

/** The public keys of a merchant by the beginnings of their fingerprints. */
export const publicKeysPart = declarePart<ListedPublicKey>({
  path: '/public-keys',
  title: 'Public keys',
  kinds: ['merchant'],
  nothing: 'No public key is registered: signed calls are refused.',
  read: ({ services }, { id }, page) => listPublicKeys(services.database, id, page),
  columns: () => [
    textColumn(
      'Fingerprint begins with',
      (key) => html`<code>${fingerprintOf(key).slice(0, 8)}…</code>`,
      'head',
    ),
    timeColumn('Registered', 'createdAt'),
    textColumn(
      'State',
      ({ revokedAt }) => (revokedAt ? html`Revoked ${time(revokedAt)}` : badge('success', 'Valid')),
      'plain',
    ),
  ],
});

const CHANGES = 20;

/** The newest changes of a company's access, and its sign-ins. */
export const changesPages = companyPages({
  path: '/changes',
  async handle({ services }, company) {
    const { kind, id } = company;
    const entries = await listAccessChanges(services.database, company, CHANGES);
    return partPage(company, {
      title: 'Changes and sign-ins',
      content: html`<section class="card">${table(
        `The newest ${CHANGES}`,
        entries,
        [
          timeColumn('When', 'at'),
          textColumn(
            'Who',
            ({ actor, person }) => person ?? actor.replace(PORTAL_ACTOR, ''),
            'plain',
          ),
          textColumn('What', whatOf, 'head'),
          textColumn(
            'From',
            ({ details: { sourceAddress } }) =>
              typeof sourceAddress === 'string' &&
              html`<code>${addressPrefix(sourceAddress)}</code>`,
            'plain',
          ),
        ],
        emptyState('None', 'Nobody has signed in or changed anything.'),
      )}
<p class="quiet">An operator lists all: <code>npm run admin -- access audit --kind ${kind} --id ${id}</code></p></section>`,
    });
  },
});

function whatOf({
  action,
  details,
}: Awaited<ReturnType<typeof listAccessChanges>>[number]): string {
  const change = accessChangeOf(action);
  if (change === undefined) return action;
  const subject = changedSubject(change, details);
  return `${change.text} ${change.of === 'address' ? addressPrefix(subject) : subject}`;
}
