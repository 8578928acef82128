/** Text that is HTML already. */
class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type { Html };

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => entities[found] ?? '');

/** What is `undefined`, `null` or `false` is left out, so that a part may depend on a condition. */
export type HtmlValue = string | number | Html | readonly Html[] | false | null | undefined;

/** A template of HTML: every value is escaped, except what this made itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.map((part, place) => part + textOf(values[place])).join('');
  return new Html(text);
}

function textOf(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.join('') : escaped(String(value));
}
