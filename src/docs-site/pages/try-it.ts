import type { OperationObject, ParameterObject, SchemaObject } from 'openapi3-ts/oas31';
import { exampleOf } from '../../openapi/example.js';
import { type Html, html } from '../../process/html.js';

/**
 * A form that sends a call from the browser, and shows what comes back. Signed calls have none: a
 * private key does not belong into a page.
 */
export function tryIt(call: {
  readonly method: string;
  readonly url: string;
  readonly operation: OperationObject;
  readonly body: SchemaObject | undefined;
}): Html | undefined {
  const { operation, method, url, body } = call;
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  if (parameters.some(({ name }) => name === 'x-signature')) return undefined;
  const fields = parameters.filter(({ name }) => !name.startsWith('filter.'));
  const needsToken = (operation.security ?? []).length > 0;
  return html`<details class="try-it"><summary>Try it</summary>
<form data-try-it data-method="${method}" data-url="${url}">
${needsToken && field({ name: 'x-api-token', label: 'Access token', place: 'token' })}
${fields.map(({ name, in: place }) => field({ name, label: name, place }))}
${
  body &&
  html`<label>Body<textarea name="body" rows="8" spellcheck="false">${JSON.stringify(exampleOf(body), null, 2)}</textarea></label>`
}
<button>Send</button>
<p class="quiet">The call goes from your browser: your address must be registered, and the key a test key.</p>
<pre class="code" data-answer hidden></pre>
</form></details>`;
}

const field = (one: { readonly name: string; readonly label: string; readonly place: string }) =>
  html`<label>${one.label}<input name="${one.name}" data-place="${one.place}" autocomplete="off" spellcheck="false"></label>`;
