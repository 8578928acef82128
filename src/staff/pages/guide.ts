import { readFileSync } from 'node:fs';
import { renderMarkdown } from '../../docs-site/markdown.js';
import { html } from '../../process/html.js';
import { type StaffPage, SUPPORT_PATH } from '../page.js';

const GUIDE_PATH = `${SUPPORT_PATH}/guide`;

/** The addresses of the guides here, by their files in `docs/guides`. */
const paths: Readonly<Record<string, string>> = {
  'support.md': GUIDE_PATH,
  'repair-a-case.md': `${GUIDE_PATH}/repairs`,
};

/** A link to another guide that is here, or within the page. */
function addressOf(href: string): string | undefined {
  const [file = '', part] = href.split('#', 2);
  const path = file === '' ? '' : paths[file];
  if (path === undefined) return undefined;
  return part === undefined ? path : `${path}#${part}`;
}

/** A guide as people of the service read it beside their work. */
function guide(file: string, path: string): StaffPage {
  const markdown = readFileSync(new URL(`../../../docs/guides/${file}`, import.meta.url), 'utf8');
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file;
  return {
    method: 'GET',
    path,
    access: 'staff',
    needs: 'look',
    handle: ({ services }) =>
      Promise.resolve({
        kind: 'page',
        title,
        content: html`<div class="guide">${renderMarkdown(markdown, services.settings, addressOf)}</div>`,
      }),
  };
}

/** How to find and understand a case. */
export const showGuide = guide('support.md', '/guide');

/** How to repair a case. */
export const showRepairGuide = guide('repair-a-case.md', '/guide/repairs');
