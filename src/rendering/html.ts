/** The texts of templates in one language. */
export interface Templates {
  /** The template with translated texts: pieces of HTML, and the places of its values. */
  of(parts: readonly string[]): readonly (string | number)[];
}

/**
 * Text that is already HTML: the parts of a template, and the values between them. It is written at
 * the end, when the language is known: texts of templates are the program's and are translated,
 * values never are.
 */
class Html {
  private readonly parts: readonly string[];
  private readonly values: readonly HtmlValue[];

  constructor(parts: readonly string[], values: readonly HtmlValue[]) {
    this.parts = parts;
    this.values = values;
  }

  /** In the language of the program. */
  toString(): string {
    return this.parts.map((part, place) => part + textOf(this.values[place])).join('');
  }

  /** In another language. */
  in(templates: Templates): string {
    return templates
      .of(this.parts)
      .map((piece) => (typeof piece === 'string' ? piece : textOf(this.values[piece], templates)))
      .join('');
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
const characters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entities).map(([character, entity]) => [entity, character]),
);
const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => entities[found] ?? '');

/** The text that was escaped. */
export const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => characters[entity] ?? entity);

/** `undefined`, `null` and `false` are omitted, which allows conditional parts. */
export type HtmlValue = string | number | Html | readonly Html[] | false | null | undefined;

/** A template of HTML: every value is escaped, except results of this function. */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  new Html(parts, values);

/** A text of the program, such as a label: it is escaped, and translated as those of templates are. */
export const phrase = (text: string): Html => new Html([escaped(text)], []);

function textOf(value: HtmlValue, templates?: Templates): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return templates ? value.in(templates) : value.toString();
  return typeof value === 'object'
    ? value.map((one) => textOf(one, templates)).join('')
    : escaped(String(value));
}

/** HTML that a library has made of our own texts: it is not escaped. Never for what others wrote. */
export const ownHtml = (text: string): Html => new Html([text], []);

/** What a reader of HTML sees, for a terminal, which may write times in its own way. */
export const plainText = (content: HtmlValue, timeText?: (at: Date) => string): string =>
  unescaped(
    textOf(content)
      .replace(/<time datetime="([^"]*)">.*?<\/time>/gs, (element, at: string) =>
        timeText ? timeText(new Date(at)) : element,
      )
      .replace(/<[^>]*>/g, ''),
  )
    .replace(/\s+/g, ' ')
    .trim();
