import { listAuditEntries } from '../../db/access/audit.js';
import { listRefusedCalls } from '../../db/access/calls.js';
import { type HtmlValue, html } from '../../process/html.js';
import { PORTAL_ACTOR } from '../access/change-access.js';
import { emptyState, table, time } from '../layout/parts.js';
import { omittedLabel, refusalLabel, shortRoute } from '../layout/refusal-labels.js';
import type { AccountPage } from '../page.js';

const SHOWN = 50;

type Entry = Awaited<ReturnType<typeof listAuditEntries>>[number];

const detail = ({ details }: Entry, name: string): string => {
  const value = details[name];
  return typeof value === 'string' ? value : '';
};

const ofKey = (words: string) => (entry: Entry) =>
  html`${words} <strong>${detail(entry, 'name')}</strong> <code>${detail(entry, 'prefix')}…</code>`;
const ofAddress = (words: string) => (entry: Entry) =>
  html`${words} <code>${detail(entry, 'address')}</code>`;
const ofPublicKey = (words: string) => (entry: Entry) =>
  html`${words} <code>${detail(entry, 'fingerprint').slice(0, 16)}…</code>`;
const ofPerson = (words: string) => (entry: Entry) => html`${words} ${detail(entry, 'email')}`;

/** The entries of the audit log that companies see, with their labels: changes of access. */
const words: Readonly<Record<string, (entry: Entry) => HtmlValue>> = {
  'issue api-key': ofKey('Created the API key'),
  'copy api-key': ofKey('Copied the API key'),
  'rotate api-key': ofKey('Rotated the API key'),
  'revoke api-key': ofKey('Revoked the API key'),
  'register address': ofAddress('Registered the address'),
  'remove address': ofAddress('Removed the address'),
  'register public-key': ofPublicKey('Registered the public key'),
  'revoke public-key': ofPublicKey('Revoked the public key'),
  'sign in': () => 'Signed in',
  'sign out everywhere': () => 'Signed out everywhere',
  'change portal-password': () => 'Changed the portal password',
  'invite merchant': ofPerson('Invited to the portal:'),
  'activate portal-account': ofPerson('Activated the account of'),
  'create portal-account': ofPerson('Created the portal account of'),
  'reset portal-password': ofPerson('Reset the portal password of'),
  'disable portal-account': ofPerson('Disabled the portal account of'),
  'suspend partner': () => 'Suspended the company',
  'reinstate partner': () => 'Reinstated the company',
  'set service-fee': () => 'Set the service fee',
  'set payout-account': () => 'Set the payout account',
  'deactivate merchant': () => 'Deactivated the company',
  'activate merchant': () => 'Activated the company',
};

/** Changes of the company's access, and refused calls. */
export const showActivity: AccountPage = {
  method: 'GET',
  path: '/activity',
  access: 'account',
  async handle({ services, session }) {
    const { company } = session;
    const entries = await listAuditEntries(services.database, {
      subjectKind: company.kind,
      subjectId: company.id,
      actions: Object.keys(words),
      limit: SHOWN,
    });
    const refused = await listRefusedCalls(services.database, { company, limit: SHOWN });
    return {
      kind: 'page',
      title: 'Activity',
      content: html`<h1>Activity</h1>
<p>The newest ${SHOWN} of each. If something here was not you, revoke the key, change your password and
contact support.</p>
<section class="card"><h2>Changes and sign-ins</h2>
${
  entries.length === 0
    ? emptyState('Nothing yet', 'Changes of keys, addresses and accounts appear here.')
    : table('Changes and sign-ins', folded(entries), [
        { title: 'When', value: ({ at }) => time(at) },
        { title: 'Who', value: ({ actor }) => whoOf(actor) },
        {
          title: 'What',
          value: (entry) =>
            html`${words[entry.action]?.(entry)}${entry.times > 1 && `, ${entry.times} times`}`,
        },
        { title: 'From', value: (entry) => html`<code>${detail(entry, 'sourceAddress')}</code>` },
      ])
}
</section>
<section class="card"><h2>Refused calls</h2>
${
  refused.length === 0
    ? emptyState('None', 'Refused calls of the API appear here.')
    : table('Refused calls', refused, [
        { title: 'When', value: ({ at }) => time(at) },
        { title: 'Call', value: (call) => html`<code>${call.method} ${shortRoute(call)}</code>` },
        { title: 'From', value: ({ sourceAddress }) => html`<code>${sourceAddress}</code>` },
        { title: 'Key', value: ({ keyPrefix }) => keyPrefix && html`<code>${keyPrefix}…</code>` },
        {
          title: 'Why',
          value: ({ reason, sourceAddress, leftOut }) =>
            html`${refusalLabel(reason, sourceAddress)}${omittedLabel(leftOut)}`,
        },
      ])
}
</section>`,
    };
  },
};

/** Consecutive sign-ins become one line with their number. */
function folded(entries: readonly Entry[]): (Entry & { times: number })[] {
  const lines: (Entry & { times: number })[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    const isAgain =
      last?.action === 'sign in' &&
      entry.action === last.action &&
      entry.actor === last.actor &&
      detail(entry, 'sourceAddress') === detail(last, 'sourceAddress');
    if (isAgain) last.times += 1;
    else lines.push({ ...entry, times: 1 });
  }
  return lines;
}

/** Companies do not see the names of operators. */
const whoOf = (actor: string): string =>
  actor.startsWith(PORTAL_ACTOR) ? actor.slice(PORTAL_ACTOR.length) : 'An operator';
