import { statements } from './amharic/statements.ts';
import { language } from './language.ts';

const patterns = Object.entries(statements).map(([english, amharic]) => ({
  pattern: new RegExp(`^${english.replace(/\{\d+\}/g, '(.+)')}$`),
  amharic,
}));

/** A line of a statement in the language of the request; one without a translation stays. */
export function statementLine(line: string): string {
  if (language() !== 'am') return line;
  for (const { pattern, amharic } of patterns) {
    const found = pattern.exec(line);
    if (found)
      return amharic.replace(/\{(\d+)\}/g, (_whole, number) => found[Number(number)] ?? '');
  }
  return line;
}
