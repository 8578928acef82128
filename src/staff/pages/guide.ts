import { html } from '../../rendering/html.ts';
import type { StaffPage } from '../page.ts';
import { readGuide, renderGuide } from '../support-guide.ts';

/** A guide as people of the service read it beside their work. */
function guide(file: Parameters<typeof readGuide>[0], path: string): StaffPage {
  const markdown = readGuide(file);
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
        content: html`<div class="guide">${renderGuide(markdown, services.settings)}</div>`,
      }),
  };
}

/** How to find and understand a case. */
export const showGuide = guide('support.md', '/guide');

/** How to repair a case. */
export const showRepairGuide = guide('repair-a-case.md', '/guide/repairs');
