import { hasCalled } from '../db/access/calls.ts';
import { listApiKeys, listPublicKeys, listSourceAddresses } from '../db/access/company-access.ts';
import { DOCS_PATH } from '../docs-site/page.ts';
import { type Html, html } from '../rendering/html.ts';
import { ACCESS_PATH } from './access-path.ts';
import { signedRoutesOf } from './console/api-base.ts';
import { badge } from './layout/parts.ts';
import { type AccountRequest, PORTAL_PATH } from './page.ts';

/** The completed steps of a company's onboarding. */
export interface OnboardingProgress {
  readonly hasKey: boolean;
  readonly hasAddress: boolean;
  /** True for partners, which need none. */
  readonly hasPublicKey: boolean;
  /** A call was accepted; for a merchant, a signed call. */
  readonly hasCalled: boolean;
}

/** Reads a company's progress towards its first call. */
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

/** The missing steps before the first call; undefined when all are done. */
export async function gettingStarted(request: AccountRequest): Promise<Html | undefined> {
  const progress = await readProgress(request);
  if (Object.values(progress).every(Boolean)) return undefined;
  const isMerchant = request.session.company.kind === 'merchant';
  const { sandboxUrl } = request.services.settings;
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
<p>The guide <a href="${DOCS_PATH}/guides/${
    isMerchant ? 'first-call-merchant' : 'first-call-partner'
  }">First call</a> explains each step.</p>
${
  sandboxUrl !== undefined &&
  html`<p>Verification codes of tests arrive on <a href="${sandboxUrl}/phone">the simulated phone</a>.</p>`
}
${
  isMerchant &&
  html`<p>All commands to copy are in <a href="${PORTAL_PATH}/getting-started">Step by step to the first
signed request</a>.</p>`
}</section>`;
}

/** Marks a completed step. */
export const doneBadge = (isDone: boolean): Html | false => isDone && badge('success', 'Done');
