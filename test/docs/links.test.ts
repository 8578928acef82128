import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { documentNames } from './documents.ts';

interface Link {
  readonly text: string;
  /** From the root of the project. */
  readonly file: string;
  readonly anchor: string | undefined;
}

/** The text without what is quoted. */
const proseOf = (document: string): string =>
  readFileSync(document, 'utf8').replace(/^( *)```[\s\S]*?^\1```/gm, '');

/** The links to other files of the project, and to parts of the same one. */
function linksOf(document: string): Link[] {
  return (
    [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, text = '']) => text)
      // Addresses of the site begin with a slash; guides.test.ts holds them.
      .filter((text) => !/^([a-z]+:|\/)/.test(text))
      .map((text) => {
        const [path = '', anchor] = text.split('#');
        const file = path === '' ? document : posix.join(posix.dirname(document), path);
        return { text, file, anchor };
      })
  );
}

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (document: string): string[] =>
  [...proseOf(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

const isBroken = ({ file, anchor }: Link): boolean =>
  !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));

test.each(documentNames())('every link of %s leads somewhere', (document) => {
  expect(linksOf(document).filter(isBroken)).toEqual([]);
});

test('every page is found from the README', () => {
  const found = new Set(['README.md']);
  for (const document of found)
    for (const { file } of linksOf(document)) if (file.endsWith('.md')) found.add(file);
  expect(documentNames().filter((name) => !found.has(name))).toEqual([]);
});
