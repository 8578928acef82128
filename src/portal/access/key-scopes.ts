import { type Scope, scopeMeanings, scopesOf } from '../../domain/access/scope.ts';
import type { Company } from '../../domain/voucher.ts';
import { type Html, html } from '../../rendering/html.ts';
import type { Form } from '../layout/form.ts';

const fieldOf = (scope: Scope): string => `scope-${scope}`;

/** The boxes for the scopes of a key. */
export const scopeChoices = (
  { kind }: Pick<Company, 'kind'>,
  chosen: readonly Scope[],
  problem?: string,
): Html => html`<fieldset${problem && html` aria-describedby="scopes-error"`}>
<legend>What may the key do?</legend>
${problem && html`<p class="error" id="scopes-error">${problem}</p>`}
${scopesOf(kind).map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="${fieldOf(scope)}" value="on"${
      chosen.includes(scope) && html` checked`
    }> <span><code>${scope}</code>: ${scopeMeanings[scope]}</span></label>`,
)}</fieldset>`;

/** The chosen scopes. */
export const readScopes = (form: Form, { kind }: Pick<Company, 'kind'>): Scope[] =>
  scopesOf(kind).filter((scope) => form.text(fieldOf(scope)) === 'on');

export const NO_SCOPE = 'Choose at least one.';
