import type { Token, Tokens } from 'marked';

/** The languages of programs, by the word of their code blocks. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'Node.js',
  ts: 'TypeScript',
  python: 'Python',
  java: 'Java',
  php: 'PHP',
  csharp: 'C#',
  go: 'Go',
};

/** What is shown of one language. */
interface Panel {
  readonly name: string;
  readonly tokens: Token[];
}

/**
 * Puts programs that follow one another in different languages into one token of the type `tabs`. A program is
 * its code block, with the paragraph before it that begins with the language and ends with a colon.
 */
export function withTabs(tokens: readonly Token[]): Token[] {
  const found: Token[] = [];
  for (let place = 0; place < tokens.length; ) {
    const run = panelsFrom(tokens, place);
    if (run.panels.length > 1) found.push({ type: 'tabs', raw: '', panels: run.panels });
    else found.push(...tokens.slice(place, run.end));
    place = run.end;
  }
  return found;
}

/** The panels that begin at a place, and the place after them; at least one token is passed. */
function panelsFrom(
  tokens: readonly Token[],
  start: number,
): { readonly panels: readonly Panel[]; readonly end: number } {
  const panels: Panel[] = [];
  let end = start;
  for (let place = start; ; place = afterSpaces(tokens, end)) {
    const read = panelAt(tokens, place);
    if (!read || panels.some(({ name }) => name === read.panel.name)) break;
    panels.push(read.panel);
    end = read.end;
  }
  return { panels, end: Math.max(end, start + 1) };
}

function panelAt(
  tokens: readonly Token[],
  place: number,
): { readonly panel: Panel; readonly end: number } | undefined {
  const token = tokens[place];
  const own = languageOf(token);
  if (token && own) return { panel: { name: own, tokens: [token] }, end: place + 1 };
  if (token?.type !== 'paragraph' || !token.raw.trimEnd().endsWith(':')) return undefined;
  const next = afterSpaces(tokens, place + 1);
  const code = tokens[next];
  const name = languageOf(code);
  if (!code || !name || !token.raw.startsWith(name)) return undefined;
  // A paragraph that is the name alone says what the tab says.
  const words = token.raw.trim() === `${name}:` ? [] : [token];
  return { panel: { name, tokens: [...words, code] }, end: next + 1 };
}

const languageOf = (token: Token | undefined): string | undefined =>
  token?.type === 'code' ? LANGUAGES[(token as Tokens.Code).lang ?? ''] : undefined;

function afterSpaces(tokens: readonly Token[], start: number): number {
  let place = start;
  while (tokens[place]?.type === 'space') place += 1;
  return place;
}
