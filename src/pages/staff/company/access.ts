import { listAuditEntries } from '../../../db/access/calls.ts';
import {
  type ListedAddress,
  type ListedKey,
  type ListedPublicKey,
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../../db/access/company-access.ts';
import {
  accessChangeOf,
  accessChanges,
  changedSubject,
  PORTAL_ACTOR,
} from '../../../domain/access.ts';
import { fingerprintOf } from '../../../http/signature/public-key.ts';
import { html } from '../../../rendering/html.ts';
import { apiKeyPower, apiKeyState } from '../../layout/company-parts.ts';
import { badge, emptyState, table, time, timeColumn } from '../../layout/parts.ts';
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
    { title: 'Name', phone: 'head', value: ({ name }) => name },
    { title: 'Begins with', phone: 'plain', value: ({ prefix }) => html`<code>${prefix}…</code>` },
    { title: 'May', value: apiKeyPower },
    { title: 'State', phone: 'plain', value: apiKeyState },
    {
      title: 'Last used',
      phone: 'plain',
      value: ({ lastUsedAt, lastUsedAddress }) =>
        lastUsedAt
          ? html`${time(lastUsedAt)}${lastUsedAddress && html` from <code>${addressPrefix(lastUsedAddress)}</code>`}`
          : 'Never',
    },
  ],
});

/** Where the company may call from, by the beginnings. */
export const addressesPart = declarePart<ListedAddress>({
  path: '/addresses',
  title: 'Addresses',
  nothing: 'No address is registered: every call is refused.',
  read: ({ services }, company, page) => listSourceAddresses(services.database, company, page),
  columns: () => [
    {
      title: 'Begins with',
      phone: 'head',
      value: ({ address }) => html`<code>${addressPrefix(address)}</code>`,
    },
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
    {
      title: 'Fingerprint begins with',
      phone: 'head',
      value: (key) => html`<code>${fingerprintOf(key).slice(0, 8)}…</code>`,
    },
    timeColumn('Registered', 'createdAt'),
    {
      title: 'State',
      phone: 'plain',
      value: ({ revokedAt }) =>
        revokedAt ? html`Revoked ${time(revokedAt)}` : badge('success', 'Valid'),
    },
  ],
});

const CHANGES = 20;

/** The newest changes of a company's access, and its sign-ins. */
export const changesPages = companyPages({
  path: '/changes',
  async handle({ services }, company) {
    const { kind, id } = company;
    const entries = await listAuditEntries(services.database, {
      subjectKind: kind,
      subjectId: id,
      actions: Object.keys(accessChanges),
      limit: CHANGES,
    });
    return partPage(company, {
      title: 'Changes and sign-ins',
      content: html`<section class="card">${table(
        `The newest ${CHANGES}`,
        entries,
        [
          timeColumn('When', 'at'),
          {
            title: 'Who',
            phone: 'plain',
            value: ({ actor, person }) => person ?? actor.replace(PORTAL_ACTOR, ''),
          },
          { title: 'What', phone: 'head', value: whatOf },
          {
            title: 'From',
            phone: 'plain',
            value: ({ details: { sourceAddress } }) =>
              typeof sourceAddress === 'string' &&
              html`<code>${addressPrefix(sourceAddress)}</code>`,
          },
        ],
        emptyState('None', 'Nobody has signed in or changed anything.'),
      )}
<p class="quiet">An operator lists all: <code>npm run admin -- access audit --kind ${kind} --id ${id}</code></p></section>`,
    });
  },
});

function whatOf({ action, details }: Awaited<ReturnType<typeof listAuditEntries>>[number]): string {
  const change = accessChangeOf(action);
  if (change === undefined) return action;
  const subject = changedSubject(change, details);
  return `${change.text} ${change.of === 'address' ? addressPrefix(subject) : subject}`;
}
