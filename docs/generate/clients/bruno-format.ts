/** A block of a .bru file: its name, and the text in it. */
export const block = (name: string, text: string): string => `${name} {\n${indented(text)}\n}`;

/** A block of names. */
export const list = (name: string, names: readonly string[]): string =>
  `${name} [\n${indented(names.join(',\n'))}\n]`;

/** A .bru file. */
export const bru = (...blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`;

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');
