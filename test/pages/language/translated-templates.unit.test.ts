import { expect, test } from 'vitest';
import { ledgerAccountKinds } from '../../../src/domain/day-report.ts';
import { type ReasonRow, reasons } from '../../../src/domain/reasons.ts';
import { amharic } from '../../../src/pages/language/amharic.ts';
import {
  inLanguage,
  languageOf,
  translatedTemplates,
  writeHtml,
} from '../../../src/pages/language/language.ts';
import { ledgerHistory } from '../../../src/pages/layout/labels.ts';
import { type Html, html, phrase } from '../../../src/rendering/html.ts';

const catalogue: Readonly<Record<string, string>> = {
  Name: 'NAME',
  'Wait {1} minutes for {2}.': 'For {2}: {1} MINUTES.',
  'Read the <1>guide</1> or {1}.': '{1} OR THE <1>GUIDE</1>.',
  Menu: 'MENU',
  'It’s “new” & old': 'OLD & NEW',
};
const written = (content: Html): string =>
  content.in(translatedTemplates((text) => catalogue[text]));

test.each<[Html, string]>([
  [html`<p>Name</p>`, '<p>NAME</p>'],
  [html`<p>\n  Name </p>`, '<p>\n  NAME </p>'],
  [html`<p><strong>Name</strong></p>`, '<p><strong>NAME</strong></p>'],
  [html`<p>Wait ${3}\nminutes for ${html`<b>Name</b>`}.</p>`, '<p>For <b>NAME</b>: 3 MINUTES.</p>'],
  [
    html`<li>Read the <a href="${'/a?b&c'}">guide</a> or ${'<Name>'}.</li>`,
    '<li>&lt;Name&gt; OR THE <a href="/a?b&amp;c">GUIDE</a>.</li>',
  ],
  [html`<nav aria-label="Menu" class="Menu"></nav>`, '<nav aria-label="MENU" class="Menu"></nav>'],
  [html`<label>${phrase('Name')}</label>`, '<label>NAME</label>'],
  [phrase('It’s “new” & old'), 'OLD & NEW'],
  [
    html`<ul>${[html`<li>Name</li>`, html`<li>Other</li>`]}</ul>`,
    '<ul><li>NAME</li><li>Other</li></ul>',
  ],
  // What people have written is no text of the program.
  [html`<p>${'Name'}</p>`, '<p>Name</p>'],
])('%s is written in another language', (content, expected) => {
  expect(written(content)).toBe(expected);
});

test('a translation has the values and the tags of its text, and no HTML of its own', () => {
  const marks = (text: string) => (text.match(/\{\d+\}|<\/?\d+>/g) ?? []).sort();
  const all = Object.entries(amharic);
  expect(all.length).toBeGreaterThan(300);
  for (const [text, translation] of all) {
    expect([text, marks(translation)]).toEqual([text, marks(text)]);
    expect(translation.replace(/<\/?\d+>/g, '')).not.toMatch(/[<>&"]/);
  }
});

test.each([
  ['am', 'am'],
  ['am-ET,en;q=0.8', 'am'],
  ['fr, en-GB;q=0.9, am;q=0.8', 'en'],
  ['fr', undefined],
  [undefined, undefined],
])('a browser that wants %s', (header, expected) => {
  expect(languageOf(header)).toBe(expected);
});

test('the reasons of what the portal may be refused have Amharic', () => {
  const operations = [
    'generate-voucher',
    'cancel-voucher',
    'resend-message',
    'retry-topup',
    'airtime-topup',
    'airtime-package-topup',
  ] as const;
  const rows: readonly ReasonRow[] = Object.values(reasons);
  const messages = rows
    .filter(({ partner }) => operations.some((operation) => partner?.[operation]))
    .map(({ message }) => message);
  expect(messages.length).toBeGreaterThan(15);
  expect(messages.filter((message) => !Object.hasOwn(amharic, message))).toEqual([]);
});

test('each transfer that has words has them in Amharic', () => {
  const rows = ledgerAccountKinds.flatMap((debit) =>
    ledgerAccountKinds.flatMap((credit) => {
      const move = { at: new Date(0), operationId: '', step: '', debit, credit, amount: '1' };
      const cell = () => writeHtml(ledgerHistory([move])).split('<td')[2] ?? '';
      const english = cell();
      return english.includes(`From ${debit} to ${credit}`)
        ? []
        : [[english, inLanguage('am', cell)] as const];
    }),
  );
  expect(rows.length).toBeGreaterThan(20);
  const said = (cell: string) => cell.replace(/^[^>]*>|<[^>]*>/g, '');
  expect(rows.filter(([, amharic]) => /[A-Za-z]/.test(said(amharic)))).toEqual([]);
});
