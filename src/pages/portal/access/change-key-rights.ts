import { lockApiKey, setApiKeyLimits, setApiKeyScopes } from '../../../db/access/company-access.ts';
import type { ApiKeyPower, Scope } from '../../../domain/access.ts';
import { formatAmount, formatMoney, parseMoney } from '../../../domain/money.ts';
import { html } from '../../../rendering/html.ts';
import { field, postForm } from '../../layout/parts.ts';
import {
  type AccountPage,
  type AccountRequest,
  type Form,
  idOf,
  type PageAnswer,
} from '../../page.ts';
import { changeAccess } from '../../session/confirmation.ts';
import { zonedTime } from '../../session/preferences.ts';
import { ACCESS_PATH } from '../../session/session.ts';
import { problems } from '../problem-page.ts';
import { KEYS_PATH, NO_SCOPE, readScopes, scopeChoices } from './access.ts';
import { findValidKey } from './change-api-keys.ts';

interface Wrong {
  readonly amount: string;
  readonly operations: string;
  readonly amountProblem: string | undefined;
  readonly operationsProblem: string | undefined;
}

/** Asks what a partner's key may spend in a day. */
export const askKeyLimits: AccountPage = {
  method: 'GET',
  path: '/keys/:id/limits',
  access: 'account',
  needs: 'develop',
  kind: 'partner',
  handle: (request) => limitsPage(request),
};

async function limitsPage(request: AccountRequest, wrong?: Wrong): Promise<PageAnswer> {
  const key = await findValidKey(request);
  if (key === undefined) return problems.notFound;
  const amount = key.dailyAmount === null ? '' : formatAmount(parseMoney(key.dailyAmount));
  return {
    kind: 'page',
    title: 'Daily limits of a key',
    status: wrong ? 422 : 200,
    content: html`<h1>Daily limits of the key “${key.name}”</h1>
<section class="card"><p>Vouchers count when they are generated, top-ups and retries when they are sent; a top-up that
fails is not given back. A day ends at midnight UTC, ${midnight()} on your clocks. Limits that support has set for your company hold, too.</p>
${postForm(
  { action: `${KEYS_PATH}/${key.id}/limits`, formToken: request.formToken },
  html`${field({
    name: 'amount',
    label: 'Amount of a day in ETB',
    hint: 'Empty: no limit.',
    value: wrong?.amount ?? amount,
    error: wrong?.amountProblem,
    maximumLength: 17,
    isOptional: true,
  })}
${field({
  name: 'operations',
  label: 'Vouchers and top-ups of a day',
  hint: 'Empty: no limit.',
  value: wrong?.operations ?? String(key.dailyOperations ?? ''),
  error: wrong?.operationsProblem,
  maximumLength: 9,
  isOptional: true,
})}
<p class="actions"><button>Save</button><a href="${ACCESS_PATH}#keys">Back</a></p>`,
)}</section>`,
  };
}

/** When a day of limits ends, in the zone of the page. */
function midnight(): string {
  const { day } = zonedTime(new Date());
  return zonedTime(new Date(`${day}T00:00:00Z`)).time.slice(0, 5);
}

/** Replaces the daily limits of a partner's key. */
export const changeKeyLimits: AccountPage = {
  method: 'POST',
  path: '/keys/:id/limits',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const key = await findValidKey(request);
    const typed = (name: string) => request.form.text(name).trim().slice(0, 20) || '–';
    return (
      key &&
      html`You are about to set the daily limits of the key “${key.name}”: ETB ${typed('amount')}, vouchers and top-ups ${typed('operations')}.`
    );
  },
  kind: 'partner',
  async handle(request) {
    const after = readLimits(request.form);
    if ('amountProblem' in after) return limitsPage(request, after);
    const keyId = idOf(request);
    const changed = await changeAccess(request, 'set key-limits', async (transaction) => {
      const key = await lockApiKey(transaction, keyId, request.session.company);
      if (key === undefined) return undefined;
      await setApiKeyLimits(transaction, keyId, after);
      const { name, prefix, dailyAmount, dailyOperations } = key;
      const before = { dailyAmount, dailyOperations };
      return { result: key, details: { keyId, name, prefix, before, after } };
    });
    if (changed === undefined) return problems.notFound;
    const notice = `The daily limits of the key “${changed.name}” are saved.`;
    return { kind: 'redirect', to: `${ACCESS_PATH}#keys`, notice };
  },
};

/** The limits as the database has them, or the problems of what was sent. */
function readLimits(form: Form): Wrong | Omit<ApiKeyPower, 'scopes'> {
  const [amount, operations] = [form.text('amount').trim(), form.text('operations').trim()];
  const isAmount = amount === '' || (/^\d{1,14}(\.\d{1,2})?$/.test(amount) && /[1-9]/.test(amount));
  const isCount = operations === '' || /^[1-9]\d{0,8}$/.test(operations);
  if (!isAmount || !isCount)
    return {
      amount,
      operations,
      amountProblem: isAmount ? undefined : 'Enter an amount above 0, such as 1000 or 99.50.',
      operationsProblem: isCount ? undefined : 'Enter a whole number above 0.',
    };
  return {
    dailyAmount: amount === '' ? null : formatMoney(parseMoney(amount)),
    dailyOperations: operations === '' ? null : Number(operations),
  };
}

/** Asks what a key may do. */
export const askKeyScopes: AccountPage = {
  method: 'GET',
  path: '/keys/:id/scopes',
  access: 'account',
  needs: 'develop',
  handle: (request) => scopesPage(request),
};

async function scopesPage(
  request: AccountRequest,
  wrong?: { readonly chosen: readonly Scope[]; readonly problem: string },
): Promise<PageAnswer> {
  const key = await findValidKey(request);
  if (key === undefined) return problems.notFound;
  const chosen = wrong?.chosen ?? key.scopes;
  return {
    kind: 'page',
    title: 'Scopes of a key',
    status: wrong ? 422 : 200,
    content: html`<h1>Scopes of the key “${key.name}”</h1>
<section class="card"><p>Calls that the key may not make are refused with 403 and the name of the scope. A change takes
effect within two seconds.</p>
${postForm(
  { action: `${KEYS_PATH}/${key.id}/scopes`, formToken: request.formToken },
  html`${scopeChoices(request.session.company, chosen, wrong?.problem)}
<p class="actions"><button>Save</button><a href="${ACCESS_PATH}#keys">Back</a></p>`,
)}</section>`,
  };
}

/** Replaces the scopes of a key. */
export const changeKeyScopes: AccountPage = {
  method: 'POST',
  path: '/keys/:id/scopes',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const key = await findValidKey(request);
    const scopes = readScopes(request.form, request.session.company).join(', ');
    return (
      key && html`You are about to give the key “${key.name}” the scopes <code>${scopes}</code>.`
    );
  },
  async handle(request) {
    const { company } = request.session;
    const after = readScopes(request.form, company);
    if (after.length === 0) return scopesPage(request, { chosen: [], problem: NO_SCOPE });
    const keyId = idOf(request);
    const changed = await changeAccess(request, 'set key-scopes', async (transaction) => {
      const key = await lockApiKey(transaction, keyId, company);
      if (key === undefined) return undefined;
      await setApiKeyScopes(transaction, keyId, after);
      const { name, prefix, scopes: before } = key;
      return { result: key, details: { keyId, name, prefix, before, after } };
    });
    if (changed === undefined) return problems.notFound;
    const notice = `The key “${changed.name}” has the scopes ${after.join(', ')}.`;
    return { kind: 'redirect', to: `${ACCESS_PATH}#keys`, notice };
  },
};
