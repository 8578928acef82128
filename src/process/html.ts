/** Text that is already HTML. */
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

/** `undefined`, `null` and `false` are omitted, which allows conditional parts. */
export type HtmlValue = string | number | Html | readonly Html[] | false | null | undefined;

/** A template of HTML: every value is escaped, except results of this function. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.map((part, place) => part + textOf(values[place])).join('');
  return new Html(text);
}

function textOf(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.join('') : escaped(String(value));
}

/** HTML that a library has made of our own texts: it is not escaped. Never for what others wrote. */
export const ownHtml = (text: string): Html => new Html(text);
