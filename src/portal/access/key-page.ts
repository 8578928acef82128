import { type Html, html } from '../../rendering/html.ts';
import { ACCESS_PATH } from '../access-path.ts';
import { copyField, message } from '../layout/parts.ts';
import type { AccountRequest, PageAnswer } from '../page.ts';

/** A page that shows an API key in clear; browsers cache no page of the portal. */
export function keyPage(
  request: AccountRequest,
  shown: {
    readonly title: string;
    readonly heading: string;
    readonly name: string;
    readonly key: string;
    readonly warning: Html;
    readonly further?: Html | undefined;
  },
): PageAnswer {
  const isTest = request.services.settings.environment === 'test';
  return {
    kind: 'page',
    title: shown.title,
    content: html`<h1>${shown.heading}</h1>
<section class="card"><h2>${shown.name}</h2>
${message('warning', shown.warning)}
${copyField({ name: 'key', label: isTest ? 'Test key' : 'Live key', value: shown.key })}
${shown.further && html`<p>${shown.further}</p>`}
<p class="actions"><a class="button secondary" href="${ACCESS_PATH}#keys">I have copied it</a></p>
</section>`,
  };
}
