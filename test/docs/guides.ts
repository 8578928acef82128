import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'docs/guides/integrate';

/** The guides for integrators, which are pages of the site `/docs`, by file name. */
export const guides: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER).map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')]),
);

/** The text of one guide. */
export const guide = (name: string): string => guides.get(name) ?? '';

/** The contents of the code blocks in one language. */
export const codeBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)]
    .filter(([, , of]) => of === language)
    .map(([, , , code = '']) => code);
