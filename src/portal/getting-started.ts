import { hasCalled } from '../db/access/calls.js';
import { listApiKeys, listPublicKeys, listSourceAddresses } from '../db/access/company-access.js';
import { type Html, html } from '../process/html.js';
import { ACCESS_PATH } from './access-path.js';
import { signedRoutesOf } from './api-base.js';
import { badge } from './layout/parts.js';
import { type AccountRequest, PORTAL_PATH } from './page.js';

/** Which of the things are there that calls need. */
export interface OnboardingProgress {
  readonly hasKey: boolean;
  readonly hasAddress: boolean;
  /** True for partners, who need none. */
  readonly hasPublicKey: boolean;
  /** A call was let in; of a merchant, one that it had signed. */
  readonly hasCalled: boolean;
}

/** How far a company is on its way to its first call. */
export async function readProgress({
  services: { database },
  session: { company },
}: AccountRequest): Promise<OnboardingProgress> {
  const keys = await listApiKeys(database, company);
  const addresses = await listSourceAddresses(database, company);
  const publicKeys =
    company.kind === 'merchant' ? await listPublicKeys(database, company.id) : undefined;
  return {
    hasKey: keys.some(({ status }) => status === 'VALID'),
    hasAddress: addresses.length > 0,
    hasPublicKey: publicKeys?.some(({ revokedAt }) => revokedAt === null) ?? true,
    hasCalled: await hasCalled(database, company, signedRoutesOf(company.kind)),
  };
}

/** What is still missing before the company can call; undefined once nothing is. */
export async function gettingStarted(request: AccountRequest): Promise<Html | undefined> {
  const progress = await readProgress(request);
  if (Object.values(progress).every(Boolean)) return undefined;
  const isMerchant = request.session.company.kind === 'merchant';
  const steps = [
    {
      isDone: progress.hasKey,
      link: html`<a href="${ACCESS_PATH}#keys">Make an API key</a>`,
    },
    {
      isDone: progress.hasAddress,
      link: html`<a href="${ACCESS_PATH}#addresses">Register your server’s address</a>`,
    },
    ...(isMerchant
      ? [
          {
            isDone: progress.hasPublicKey,
            link: html`<a href="${ACCESS_PATH}#public-keys">Register a public key</a>`,
          },
        ]
      : []),
    {
      isDone: progress.hasCalled,
      link: html`<a href="${PORTAL_PATH}/try-it">${
        isMerchant ? 'Make the first signed call' : 'Make the first call'
      }</a>`,
    },
  ];
  return html`<section class="card"><h2>Getting started</h2>
<ol class="steps">${steps.map(({ isDone, link }) => html`<li>${link} ${doneBadge(isDone)}</li>`)}</ol>
${
  isMerchant &&
  html`<p>Every command to copy is in <a href="${PORTAL_PATH}/getting-started">Step by step to the first
signed request</a>.</p>`
}</section>`;
}

/** Marks a step that is done. */
export const doneBadge = (isDone: boolean): Html | false => isDone && badge('success', 'Done');
