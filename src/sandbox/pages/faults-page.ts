import type { Context } from 'koa';
import { type Html, html } from '../../rendering/html.ts';
import {
  type Faults,
  faultAnswers,
  isFaultless,
  type ProviderFault,
  type SandboxProvider,
  sandboxProviderNames,
  sandboxProviders,
} from '../faults/provider-faults.ts';
import { answerPage } from './page.ts';

/** Forms that break one provider each, for all numbers. */
export function answerFaultsPage(ctx: Context, faults: Faults): void {
  const content = html`<p><a href="/">Sandbox</a></p>
<main>
<h1>Faults</h1>
<p>What is set here applies to every request of the provider, before the scenario of its number. As
JSON: <code>curl ${ctx.protocol}://${ctx.host}/faults</code>, and
<code>curl -X PUT ${ctx.protocol}://${ctx.host}/faults/dt-one -H 'Content-Type: application/json'
-d '{"down":true}'</code>; a field that is missing is as usual. <code>curl -X DELETE</code> on
<code>/faults</code> mends all.</p>
${sandboxProviderNames.map((provider) => faultForm(provider, faults.of(provider)))}
</main>`;
  answerPage(ctx, { title: 'Faults', content });
}

/** The present faults in words, for the first page. */
export const faultRows = (faults: Faults): Html[] =>
  sandboxProviderNames.map(
    (provider) => html`<tr><td>${sandboxProviders[provider].title}</td>
<td>${sandboxProviders[provider].kind}</td><td>${inWords(faults.of(provider))}</td></tr>`,
  );

function faultForm(provider: SandboxProvider, fault: ProviderFault): Html {
  const { title, kind } = sandboxProviders[provider];
  const box = (name: keyof ProviderFault, label: string) =>
    html`<label class="box"><input type="checkbox" name="${name}"${fault[name] === true ? html` checked` : html``}>
${label}</label>`;
  return html`<section id="${provider}"><h2>${title}</h2>
<p class="quiet">${kind}: <strong>${inWords(fault)}</strong></p>
<form action="/faults/${provider}" method="post">
${box('down', 'Down: resets connections')}
${box('dropsAnswers', 'Does it, then drops the connection')}
${box('losesCallbacks', 'Loses callbacks')}
${kind !== 'SMS' && box('reversesLater', 'Reverses what it completes')}
<label>Slow: seconds before a request is taken
<input name="slowSeconds" type="number" min="0" max="3600" step="any" value="${fault.slowSeconds}"></label>
<label>Answers
<select name="answers">${Object.entries(faultAnswers).map(
    ([name, meaning]) =>
      html`<option value="${name}"${fault.answers === name ? html` selected` : html``}>${name}: ${meaning}</option>`,
  )}</select></label>
<button>Set</button>
<button name="clear" class="plain">As usual</button>
</form></section>`;
}

function inWords(fault: ProviderFault): string {
  if (isFaultless(fault)) return 'as usual';
  const words = [
    fault.down && 'down',
    fault.slowSeconds > 0 && `slow (${fault.slowSeconds} s)`,
    fault.dropsAnswers && 'drops answers',
    fault.losesCallbacks && 'loses callbacks',
    fault.reversesLater && 'reverses later',
    fault.answers !== 'normal' && `answers ${fault.answers}`,
  ];
  return words.filter(Boolean).join(', ');
}
