import { readFileSync } from 'node:fs';
import type { DocsPage } from '../page.ts';
import { markdownPage } from './markdown-page.ts';

/** What each version changed. */
export const changelogPage: DocsPage = markdownPage({
  path: '/changelog',
  title: 'Changelog',
  summary: 'What each version changed',
  markdown: () => readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8'),
});
