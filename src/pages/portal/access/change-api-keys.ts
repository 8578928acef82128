import { openApiKey } from '../../../crypto/digests.ts';
import {
  changeApiKey,
  findApiKeyCopy,
  listApiKeys,
  lockApiKey,
  revokeApiKey as revokeInDatabase,
} from '../../../db/access/company-access.ts';
import type { Database } from '../../../db/connection.ts';
import type { ApiKeyPower } from '../../../domain/access.ts';
import { formatMoney, plainAmount, readTypedAmount } from '../../../domain/money.ts';
import type { Company } from '../../../domain/vouchers/voucher.ts';
import { issueApiKey, rotateApiKey } from '../../../operations/api-keys.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { describeError } from '../../../runtime/process/logger.ts';
import { problems } from '../../answers.ts';
import { zonedTime } from '../../language/time-zone.ts';
import { asSent, field, type ReadForm, secretPage, time } from '../../layout/parts.ts';
import {
  ACCESS_PATH,
  type AccountRequest,
  type Form,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
  portal,
  readNameField,
  redirect,
} from '../../page.ts';
import { changePages, ownCompany } from '../../session/changes.ts';
import { accessPage, KEY_NAME_LENGTH, NO_SCOPE, readScopes, scopeChoices } from './access.ts';

/** A page that shows an API key in clear. */
const keyPage = (
  request: AccountRequest,
  {
    key,
    ...shown
  }: Pick<
    Parameters<typeof secretPage>[0],
    'title' | 'heading' | 'name' | 'warning' | 'further'
  > & { readonly key: string },
): PageAnswer =>
  secretPage({
    ...shown,
    secret: {
      name: 'key',
      label: request.services.settings.process.environment === 'test' ? 'Test key' : 'Live key',
      value: key,
    },
    back: `${ACCESS_PATH}#keys`,
  });

/** A practical limit that keeps the list readable. */
const MAXIMUM_WORKING_KEYS = 10;

/** Makes a key and shows it. */
export const makeApiKeyForm = changePages(portal, {
  path: '/keys',
  needs: 'develop',
  find: ownCompany,
  read(request) {
    const scopes = chosenScopes(request);
    const name = readNameField(request.form.text('name'), KEY_NAME_LENGTH);
    if (name === undefined)
      return {
        wrong: { name: `Enter a name of 1 to ${KEY_NAME_LENGTH} characters, in one line.` },
      };
    return scopes.length === 0 ? { wrong: { scopes: NO_SCOPE } } : { value: { name, scopes } };
  },
  confirmed: (_company, { form }) =>
    html`You are about to make the key “${form.text('name').slice(0, KEY_NAME_LENGTH)}”.`,
  action: 'issue api-key',
  again: accessPage,
  async work(transaction, { services }, { subject: company, value }) {
    const problem = await problemOf(transaction, company, value.name);
    if (problem !== undefined) return { wrong: { name: problem } };
    const { key, details } = await issueApiKey(transaction, company, value, services);
    return { result: key, details };
  },
  done: ({ result: key, value: { name } }, request) => newKeyPage(request, { name, key }),
});

/**
 * Why a key with this name cannot be made. Names are unique among the working keys, so that a form
 * sent twice makes one key.
 */
async function problemOf(
  database: Database,
  company: Company,
  name: string,
): Promise<string | undefined> {
  const keys = await listApiKeys(database, company);
  const working = keys.filter(({ status }) => status === 'VALID' || status === 'ENDING');
  if (working.some((key) => key.name === name))
    return 'A working key already has this name: rotate or revoke it, or choose another name.';
  if (working.length >= MAXIMUM_WORKING_KEYS)
    return `There are already ${MAXIMUM_WORKING_KEYS} working keys: revoke an unused one first.`;
  return undefined;
}

/** The page of a new key. */
const newKeyPage = (
  request: AccountRequest,
  shown: { readonly name: string; readonly key: string; readonly before?: Html },
): PageAnswer =>
  keyPage(request, {
    title: 'New key',
    heading: 'Your new key',
    name: shown.name,
    key: shown.key,
    warning: request.services.keyCopies
      ? html`<strong>Copy it now.</strong> You can copy it again later, with a proof that it is you, until it is
replaced or revoked.`
      : html`<strong>Copy it now: it is shown only once.</strong> We store only its digest and cannot
show it again.`,
    further: html`${shown.before} Then make a call with it: <a href="${PORTAL_PATH}/try-it">Try it</a>.`,
  });

/** Shows a key again after a proof; the audit log records each time. */
export const copyApiKeyPages = changePages(portal, {
  path: '/keys/:id/copy',
  needs: 'develop',
  find: async (request, database) =>
    request.services.keyCopies && findApiKeyCopy(database, idOf(request), request.session.company),
  question: ({ name, prefix }) => ({
    title: 'Copy a key',
    heading: html`Copy the key “${name}”`,
    text: html`<p>Confirm that it is you to see the key that begins with
<code>${prefix}…</code>.</p>`,
    button: 'Show the key',
    back: `${ACCESS_PATH}#keys`,
  }),
  confirmed: 'each-time',
  action: 'copy api-key',
  async work(_transaction, request, { subject }) {
    const { name, prefix } = subject;
    const key = openCopy(request, subject);
    const details = { keyId: idOf(request), name, prefix };
    return { result: key, details: key === undefined ? undefined : details };
  },
  done: ({ subject: { name }, result: key }, request) =>
    key === undefined
      ? problems.keyNotKept
      : keyPage(request, {
          title: 'A key',
          heading: 'Your key',
          name,
          key,
          warning: html`<strong>Keep it only on your servers.</strong> The activity of your account
records this copy.`,
        }),
});

/** The key of a stored copy; undefined where it cannot be decrypted. */
function openCopy(
  request: AccountRequest,
  copy: Parameters<typeof openApiKey>[1],
): string | undefined {
  const { keyCopies, logger } = request.services;
  try {
    return keyCopies && openApiKey(keyCopies, copy);
  } catch (error) {
    const keyId = idOf(request);
    logger.error({ ...describeError(error), keyId }, 'Could not decrypt an API key');
    return undefined;
  }
}

/** How long the old key still works, in hours. */
const overlaps = [
  { hours: 24, label: '24 hours' },
  { hours: 72, label: '72 hours' },
  { hours: 0, label: 'Not at all: it may be leaked' },
] as const;

/** Makes a new key; asks how long the old key works next to it. */
export const rotateApiKeyPages = changePages(portal, {
  path: '/keys/:id/rotate',
  needs: 'develop',
  async find(request, database) {
    const key = await findKey(request, database);
    return key?.status === 'VALID' ? key : undefined;
  },
  question({ name, prefix }) {
    const choices = overlaps.map(
      ({ hours, label }, index) => html`<label class="choice"><input type="radio" name="overlap"
 value="${hours}"${index === 0 && html` checked`}> <span>${label}</span></label>`,
    );
    return {
      title: 'Rotate a key',
      heading: html`Rotate the key “${name}”`,
      text: html`<p>The service makes a new key with the same name, scopes and limits, and shows it once. The old key, which begins
with <code>${prefix}…</code>, expires by itself.</p>`,
      fields: html`<fieldset><legend>How long should the old key still work?</legend>${choices}</fieldset>
`,
      button: 'Make the new key',
      back: `${ACCESS_PATH}#keys`,
    };
  },
  read({ form }) {
    const value = overlaps.find(({ hours }) => String(hours) === form.text('overlap'));
    return value && { value };
  },
  confirmed: ({ name }) => html`You are about to replace the key “${name}” by a new one.`,
  action: 'rotate api-key',
  async work(transaction, request, { value: { hours } }) {
    const { services, session } = request;
    const old = { id: idOf(request), overlapHours: hours, owner: session.company };
    const rotated = await rotateApiKey(transaction, old, services);
    if (!rotated) return undefined;
    const { key, expiresAt, details } = rotated;
    const before =
      hours === 0
        ? html`The old key no longer works.`
        : html`The old key works until ${time(expiresAt)}.`;
    return { result: { key, before }, details };
  },
  done: ({ subject: { name }, result }, request) => newKeyPage(request, { name, ...result }),
});

/** A key of the company that still works, if only for a time; undefined for all others. */
async function findValidKey(request: AccountRequest, database: Database) {
  const key = await findKey(request, database);
  return key?.status === 'VALID' || key?.status === 'ENDING' ? key : undefined;
}

/** A key of the company; undefined for unknown keys and keys of other companies. */
async function findKey(request: AccountRequest, database: Database) {
  const keys = await listApiKeys(database, request.session.company);
  return keys.find(({ id }) => id === idOf(request));
}

/** Revokes a key at once. */
export const revokeApiKeyPages = changePages(portal, {
  path: '/keys/:id/revoke',
  needs: 'develop',
  find: findValidKey,
  question: ({ name, prefix, lastUsedAt }) => ({
    title: `Revoke the key “${name}”?`,
    text: html`<p>It begins with <code>${prefix}…</code> and was
${lastUsedAt ? html`last used ${time(lastUsedAt)}` : 'never used'}. Calls with it, and with its
tokens, are refused within two seconds. This cannot be undone.</p>`,
    button: 'Revoke the key',
    isDanger: true,
    back: `${ACCESS_PATH}#keys`,
  }),
  confirmed: ({ name }) => html`You are about to revoke the key “${name}”.`,
  action: 'revoke api-key',
  async work(transaction, request) {
    const keyId = idOf(request);
    const key = await revokeInDatabase(transaction, keyId, request.session.company);
    return key && { details: { keyId, name: key.name, prefix: key.prefix } };
  },
  done: ({ subject: { name } }) => redirect(ACCESS_PATH, `The key “${name}” is revoked.`),
});

/** When a day of limits ends, in the zone of the page. */
function midnight(): string {
  const { day } = zonedTime(new Date());
  return zonedTime(new Date(`${day}T00:00:00Z`)).time.slice(0, 5);
}

/** Asks what a partner’s key may spend in a day, and replaces its daily limits. */
export const changeKeyLimitsPages = changePages(portal, {
  path: '/keys/:id/limits',
  needs: 'develop',
  kind: 'partner',
  find: findValidKey,
  question({ name, dailyAmount, dailyOperations }, request, wrong) {
    const sent = asSent(request, wrong);
    return {
      title: 'Daily limits of a key',
      heading: html`Daily limits of the key “${name}”`,
      text: html`<p>Vouchers count when they are generated, top-ups and retries when they are sent; a top-up that
fails is not given back. A day ends at midnight UTC, ${midnight()} on your clocks. Limits that support has set for your company hold, too.</p>`,
      fields: html`${field({
        ...sent('amount', dailyAmount === null ? '' : plainAmount(dailyAmount)),
        label: 'Amount of a day in ETB',
        hint: 'Empty: no limit.',
        maximumLength: 17,
        isOptional: true,
      })}
${field({
  ...sent('operations', String(dailyOperations ?? '')),
  label: 'Vouchers and top-ups of a day',
  hint: 'Empty: no limit.',
  maximumLength: 9,
  isOptional: true,
})}
`,
      button: 'Save',
      back: `${ACCESS_PATH}#keys`,
    };
  },
  read: ({ form }) => readLimits(form),
  confirmed({ name }, { form }) {
    const typed = (input: string) => form.text(input).trim().slice(0, 20) || '–';
    return html`You are about to set the daily limits of the key “${name}”: ETB ${typed('amount')}, vouchers and top-ups ${typed('operations')}.`;
  },
  action: 'set key-limits',
  async work(transaction, request, { value: after }) {
    const keyId = idOf(request);
    const key = await lockApiKey(transaction, keyId, request.session.company);
    if (key === undefined) return undefined;
    await changeApiKey(transaction, keyId, after);
    const { name, prefix, dailyAmount, dailyOperations } = key;
    const before = { dailyAmount, dailyOperations };
    return { details: { keyId, name, prefix, before, after } };
  },
  done: ({ subject: { name } }) =>
    redirect(`${ACCESS_PATH}#keys`, `The daily limits of the key “${name}” are saved.`),
});

/** The limits as the database has them. */
function readLimits(form: Form): ReadForm<Pick<ApiKeyPower, 'dailyAmount' | 'dailyOperations'>> {
  const [amount, operations] = [form.text('amount').trim(), form.text('operations').trim()];
  const money = amount === '' ? null : readTypedAmount(amount);
  const isCount = operations === '' || /^[1-9]\d{0,8}$/.test(operations);
  if (money === undefined || !isCount)
    return {
      wrong: {
        amount: money === undefined ? 'Enter an amount above 0, such as 1000 or 99.50.' : undefined,
        operations: isCount ? undefined : 'Enter a whole number above 0.',
      },
    };
  return {
    value: {
      dailyAmount: money === null ? null : formatMoney(money),
      dailyOperations: operations === '' ? null : Number(operations),
    },
  };
}

const chosenScopes = ({ form, session }: AccountRequest) => readScopes(form, session.company);

/** Asks what a key may do, and replaces its scopes. */
export const changeKeyScopesPages = changePages(portal, {
  path: '/keys/:id/scopes',
  needs: 'develop',
  find: findValidKey,
  question: ({ name, scopes }, { session }, wrong) => ({
    title: 'Scopes of a key',
    heading: html`Scopes of the key “${name}”`,
    text: html`<p>Calls that the key may not make are refused with 403 and the name of the scope. A change takes
effect within two seconds.</p>`,
    fields: scopeChoices(session.company, wrong ? [] : scopes, wrong?.scopes),
    button: 'Save',
    back: `${ACCESS_PATH}#keys`,
  }),
  read(request) {
    const value = chosenScopes(request);
    return value.length === 0 ? { wrong: { scopes: NO_SCOPE } } : { value };
  },
  confirmed: ({ name }, request) =>
    html`You are about to give the key “${name}” the scopes <code>${chosenScopes(request).join(', ')}</code>.`,
  action: 'set key-scopes',
  async work(transaction, request, { value: after }) {
    const keyId = idOf(request);
    const key = await lockApiKey(transaction, keyId, request.session.company);
    if (key === undefined) return undefined;
    await changeApiKey(transaction, keyId, { scopes: after });
    const { name, prefix, scopes: before } = key;
    return { details: { keyId, name, prefix, before, after } };
  },
  done: ({ subject: { name }, value: after }) =>
    redirect(`${ACCESS_PATH}#keys`, `The key “${name}” has the scopes ${after.join(', ')}.`),
});
