import { globSync, readFileSync } from 'node:fs';
import { lexer, type Token, type Tokens } from 'marked';
import { expect, test } from 'vitest';
import { documentNames } from './documents.ts';

const MAXIMUM_WORDS = 30;

/** Phrases that send a reader back for their noun. */
const FORBIDDEN =
  /\b(?:whoever|nobody|anew|beside|unhurried|of which|so does one|the (?:other|same) one|the one (?:that|who|which))\b/i;

/** A clause in the place of the subject: "What is due is paid." */
const CLAUSE_AS_SUBJECT = /^What [^?.]*\b(?:is|are|was|were|has|have)\b[^?]*\.$/;

/** The inline tokens of each paragraph, heading, list item and table cell; programs are no prose. */
function blocksOf(tokens: readonly Token[]): Token[][] {
  return tokens.flatMap((token) => {
    switch (token.type) {
      case 'list':
        return token.items.flatMap((item: Tokens.ListItem) => blocksOf(item.tokens));
      case 'table':
        return [...token.header, ...token.rows.flat()].map(({ tokens: cell }) => cell);
      case 'blockquote':
        return blocksOf(token.tokens ?? []);
      case 'heading':
      case 'paragraph':
      case 'text':
        return [token.tokens ?? []];
      default:
        return [];
    }
  });
}

/** Stands for code: a capital, so that it may begin a sentence, and no word. */
const CODE = 'Ⓒ';

/** The text as it is read. */
function textOf(token: Token): string {
  if (token.type === 'codespan') return CODE;
  if (token.type === 'br') return ' ';
  return 'tokens' in token && token.tokens ? token.tokens.map(textOf).join('') : token.raw;
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

const sentencesOf = (markdown: string): string[] =>
  blocksOf(lexer(markdown)).flatMap((block) =>
    [...sentences.segment(block.map(textOf).join('').replace(/\s+/g, ' '))].map(({ segment }) =>
      segment.trim(),
    ),
  );

/** Blocks, and lines one below the other, in programs, styles and SQL; comments behind code are not found. */
const COMMENT = /^[ \t]*(?:\/\*[\s\S]*?\*\/|(?:(?:\/\/|--) .*\n?[ \t]*)+)/gm;

/** The text of a comment, which is Markdown; a tag begins a paragraph. */
const textOfComment = (comment: string): string =>
  comment
    .replace(/\s*\*\/\s*$/, '')
    .replace(/^[ \t]*(?:\/\*+|\*|\/\/|--)[ \t]?/gm, '')
    .replace(/^@/gm, '\n@');

const commentsOf = (source: string): string[] =>
  [...source.matchAll(COMMENT)].map(([comment]) => textOfComment(comment));

const countWords = (sentence: string): number =>
  [...words.segment(sentence.replaceAll(CODE, ''))].filter(({ isWordLike }) => isWordLike).length;

const isHard = (sentence: string): boolean =>
  countWords(sentence) > MAXIMUM_WORDS ||
  FORBIDDEN.test(sentence) ||
  CLAUSE_AS_SUBJECT.test(sentence);

const documents = [...documentNames(), ...globSync('clients/*/README.md')];

test.each(documents)('every sentence of %s is short and plain', (document) => {
  expect(sentencesOf(readFileSync(document, 'utf8')).filter(isHard)).toEqual([]);
});

test.each(['src', 'workflows', 'activities', 'migrations'])(
  'every sentence in the comments of %s is short and plain',
  (folder) => {
    const hard = globSync(`${folder}/**/*.{ts,cjs,js,css,sql}`).flatMap((file) =>
      commentsOf(readFileSync(file, 'utf8'))
        .flatMap(sentencesOf)
        .filter(isHard)
        .map((sentence) => `${file}: ${sentence}`),
    );
    expect(hard).toEqual([]);
  },
);

test('finds hard sentences in comments', () => {
  const source = `/**
 * What is due is paid. A plain one.
 *
 * @throws for whoever asks
 */
  // Nobody is
  // asked.
-- The same one.
const glob = 'src/**/*.ts'; // anew`;
  expect(commentsOf(source).flatMap(sentencesOf).filter(isHard)).toEqual([
    'What is due is paid.',
    '@throws for whoever asks',
    'Nobody is asked.',
    'The same one.',
  ]);
});

test('finds hard sentences in paragraphs, lists and tables', () => {
  const long = `${'word '.repeat(MAXIMUM_WORDS)}end.`;
  const markdown = `What is due is paid. A plain one.\n\n- ${long}\n\n| Head |\n|---|\n| Nobody *pays* \`beside\` |`;
  expect(sentencesOf(markdown).filter(isHard)).toEqual([
    'What is due is paid.',
    long,
    'Nobody pays Ⓒ',
  ]);
});
