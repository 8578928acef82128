import { listCalls } from '../db/calls.js';
import { listApiKeys, listPublicKeys, listSourceAddresses } from '../db/company-access.js';
import { type Html, html } from '../html.js';
import { type AccountRequest, PORTAL_PATH } from './page.js';
import { badge } from './parts.js';

/** What is still missing before the company can call; undefined once its calls are let in. */
export async function gettingStarted({
  services: { database },
  session: { company },
}: AccountRequest): Promise<Html | undefined> {
  const calls = await listCalls(database, company, 1);
  if (calls.some(({ admitted }) => admitted)) return undefined;
  const keys = await listApiKeys(database, company);
  const addresses = await listSourceAddresses(database, company);
  const publicKeys =
    company.kind === 'merchant' ? await listPublicKeys(database, company.id) : undefined;
  const steps = [
    {
      isDone: keys.some(({ status }) => status === 'VALID'),
      link: html`<a href="${PORTAL_PATH}/keys">Make an API key</a>`,
    },
    {
      isDone: addresses.length > 0,
      link: html`<a href="${PORTAL_PATH}/addresses">Register your server’s address</a>`,
    },
    ...(publicKeys === undefined
      ? []
      : [
          {
            isDone: publicKeys.some(({ revokedAt }) => revokedAt === null),
            link: html`<a href="${PORTAL_PATH}/public-keys">Register a public key</a>`,
          },
        ]),
    { isDone: false, link: html`<a href="${PORTAL_PATH}/try-it">Make the first call</a>` },
  ];
  return html`<section class="card"><h2>Getting started</h2>
<ol class="steps">${steps.map(
    ({ isDone, link }) => html`<li>${link} ${isDone && badge('success', 'Done')}</li>`,
  )}</ol></section>`;
}
