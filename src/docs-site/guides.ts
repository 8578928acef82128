import { readFileSync } from 'node:fs';
import { once } from '../http/once.ts';

const FOLDER = new URL('../../docs/guides/integrate/', import.meta.url);

/** The guides in the order of the menu, by their file names in `docs/guides/integrate`. */
const ORDER = [
  'first-call-partner',
  'first-call-merchant',
  'use-a-client',
  'sign-requests',
  'repeat-safely',
  'handle-errors',
  'test-your-integration',
  'order-in-bulk',
  'follow-a-top-up',
  'follow-a-voucher',
  'follow-events',
  'receive-webhooks',
  'go-live',
  'rotate-keys',
  'limits',
  'compatibility',
] as const;

/** A guide as it is written. */
export interface Guide {
  /** Of its page, below the base of the site. */
  readonly path: string;
  readonly title: string;
  /** The sentence that says what the reader gets. */
  readonly summary: string;
  readonly markdown: string;
}

function readGuide(name: string): Guide {
  const markdown = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
  const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)/.exec(markdown) ?? [];
  if (!title || !summary)
    throw new Error(`${name}.md must begin with a title and a paragraph of what the reader gets`);
  return {
    path: `/guides/${name}`,
    title,
    summary: summary.replaceAll('\n', ' ').trim(),
    markdown,
  };
}

export const guides = once((): readonly Guide[] => ORDER.map(readGuide));
