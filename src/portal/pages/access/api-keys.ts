import { listApiKeys } from '../../../db/access/company-access.ts';
import { needsRotation, ROTATION_WARNING_DAYS } from '../../../domain/access/api-key.ts';
import { type Scope, scopesOf } from '../../../domain/access/scope.ts';
import { formatGroupedAmount, parseMoney } from '../../../domain/money.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { scopeChoices } from '../../access/key-scopes.ts';
import { apiBase } from '../../console/api-base.ts';
import { badge, emptyState, field, message, postForm, table, time } from '../../layout/parts.ts';
import { type AccountRequest, PORTAL_PATH } from '../../page.ts';

export const KEYS_PATH = `${PORTAL_PATH}/keys`;
export const KEY_NAME_LENGTH = 60;

type ListedKey = Awaited<ReturnType<typeof listApiKeys>>[number];

/** A new key as it was sent, with its problems. */
export interface WrongKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly problem?: string;
  readonly scopesProblem?: string;
}

/** The company's API keys: status, age and last use. */
export async function apiKeysPart(request: AccountRequest, wrong?: WrongKey): Promise<Html> {
  const { services, session, formToken } = request;
  const keys = (await listApiKeys(services.database, session.company)).toReversed();
  const working = keys.filter(({ status }) => status === 'VALID' || status === 'ENDING');
  const over = keys.filter((key) => !working.includes(key));
  const old = working.filter(needsRotation);
  const canCopy = services.keyCopies !== undefined;
  return html`<section class="page-part" aria-labelledby="keys"><h2 id="keys">API keys</h2>
<p>Your server logs in with a key at <code>${apiBase(request)}/auth/login</code> and gets a token for
300 seconds. Keep keys on your servers: never in source code, apps, pages or logs.</p>
${old.length > 0 && rotationWarning(old)}
<section class="card"><h3>Valid keys</h3>
${working.length === 0 ? noKeys : workingKeys(working, { canCopy, canSpend: session.company.kind === 'partner' })}
${working.length > 0 && copyNote(working, canCopy)}
</section>
<section class="card"><h3>Make a key</h3>
${postForm(
  { action: KEYS_PATH, formToken },
  html`${field({
    name: 'name',
    label: 'Name of the key',
    hint: 'What will use it, such as “Web shop” or “Till 3”.',
    value: wrong?.name ?? '',
    error: wrong?.problem,
    maximumLength: KEY_NAME_LENGTH,
  })}
${scopeChoices(session.company, wrong?.scopes ?? scopesOf(session.company.kind), wrong?.scopesProblem)}
<button>Make the key</button>`,
)}
</section>
${
  over.length > 0 &&
  html`<details class="card"><summary>Ended keys (${over.length})</summary>
${endedKeys(over)}</details>`
}</section>`;
}

const noKeys = emptyState(
  'No valid key',
  'Without a key your server cannot log in. Make one below.',
);

const rotationWarning = (old: readonly ListedKey[]): Html =>
  message(
    'warning',
    html`<p><strong>${
      old.length === 1 ? 'A key is' : `${old.length} keys are`
    } ${ROTATION_WARNING_DAYS} days old or older.</strong> Rotate: the new key and the old one both
work for a time that you choose.</p>`,
  );

/** Explains which keys cannot be copied. */
function copyNote(keys: readonly ListedKey[], canCopy: boolean): Html | undefined {
  if (!canCopy)
    return html`<p class="quiet">Each key is shown once, when it is made: we store only digests.</p>`;
  const notKept = keys.filter(({ status, isKept }) => status === 'VALID' && !isKept);
  if (notKept.length === 0) return undefined;
  const names = notKept.map(({ name }, index) => html`${index > 0 && ', '}“${name}”`);
  return html`<p class="quiet">${names} cannot be copied: ${
    notKept.length === 1 ? 'it was' : 'they were'
  } made before keys were stored, or by an operator, and we have only ${
    notKept.length === 1 ? 'its digest' : 'their digests'
  }. A rotated key can be copied.</p>`;
}

/** The scopes of a key, and its daily limits. */
function powerOf({ scopes, dailyAmount, dailyOperations }: ListedKey): Html {
  const limits = [
    dailyAmount !== null && `${formatGroupedAmount(parseMoney(dailyAmount))} ETB a day`,
    dailyOperations !== null && `${dailyOperations} a day`,
  ].filter(Boolean);
  return html`${scopes.join(', ')}${limits.length > 0 && html`<br>${limits.join(', ')}`}`;
}

const workingKeys = (
  keys: readonly ListedKey[],
  { canCopy, canSpend }: { readonly canCopy: boolean; readonly canSpend: boolean },
): Html =>
  table('Valid API keys', keys, [
    { title: 'Name', value: (key) => html`<strong>${key.name}</strong>` },
    { title: 'Begins with', value: (key) => html`<code>${key.prefix}…</code>` },
    { title: 'May', value: powerOf },
    { title: 'State', value: stateOf },
    { title: 'Age', value: (key) => ageOf(key.ageDays) },
    { title: 'Last used', value: lastUse },
    {
      title: 'Change',
      value: (key) => html`<span class="actions">${
        canCopy &&
        key.isKept &&
        html`<a href="${KEYS_PATH}/${key.id}/copy">Copy<span class="visually-hidden"> ${key.name}</span></a>
`
      }${
        key.status === 'VALID' &&
        html`<a href="${KEYS_PATH}/${key.id}/rotate">Rotate<span class="visually-hidden">
${key.name}</span></a>`
      }
<a href="${KEYS_PATH}/${key.id}/scopes">Scopes<span class="visually-hidden"> of ${key.name}</span></a>
${
  canSpend &&
  html`<a href="${KEYS_PATH}/${key.id}/limits">Limits<span class="visually-hidden"> of ${key.name}</span></a>
`
}<a href="${KEYS_PATH}/${key.id}/revoke">Revoke<span class="visually-hidden"> ${key.name}</span></a>
</span>`,
    },
  ]);

const endedKeys = (keys: readonly ListedKey[]): Html =>
  table('Ended API keys', keys, [
    { title: 'Name', value: (key) => key.name },
    { title: 'Begins with', value: (key) => html`<code>${key.prefix}…</code>` },
    { title: 'Ended', value: (key) => endOf(key) },
    { title: 'Last used', value: lastUse },
  ]);

function stateOf(key: ListedKey): Html {
  if (key.status === 'ENDING' && key.expiresAt)
    return html`${badge('warning', 'Ending')} ${time(key.expiresAt)}`;
  return needsRotation(key) ? badge('warning', 'Rotate') : badge('success', 'Valid');
}

function endOf({ status, revokedAt, expiresAt }: ListedKey): Html {
  const at = revokedAt ?? expiresAt;
  return html`${status === 'REVOKED' ? 'Revoked' : 'Replaced'} ${at ? time(at) : ''}`;
}

const ageOf = (days: number): string =>
  days === 0 ? 'Today' : days === 1 ? '1 day' : `${days} days`;

const lastUse = ({ lastUsedAt, lastUsedAddress }: ListedKey): Html =>
  lastUsedAt
    ? html`${time(lastUsedAt)}${lastUsedAddress && html` from <code>${lastUsedAddress}</code>`}`
    : html`Never`;
