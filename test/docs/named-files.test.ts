import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guards } from '../../src/http/pipeline.ts';
import { documentNames } from './documents.ts';

/** Folders whose files the documents may name. */
const NAMED =
  /`((?:src|workflows|activities|migrations|test|bench|chaos|docs|examples)\/[^`\s*…<>]+)`/g;

const filesNamedIn = (document: string): string[] =>
  [...readFileSync(document, 'utf8').matchAll(NAMED)].map(([, file = '']) => file);

test.each(documentNames())('every file that %s names is there', (document) => {
  expect(filesNamedIn(document).filter((file) => !existsSync(file))).toEqual([]);
});

test('documents name files', () => {
  expect(documentNames().flatMap(filesNamedIn).length).toBeGreaterThan(80);
});

test('the README has at most 200 lines', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(200);
});

test('the picture of the README has the guards in their order', () => {
  const picture = readFileSync('README.md', 'utf8').replaceAll(/<br\/>|\s+/g, ' ');
  expect(picture.replaceAll(/ +/g, ' ')).toContain(guards.map(({ name }) => name).join(' → '));
});
