import type { PublicDocument } from '../http/files/public-documents.ts';
import { allPages, type SiteSettings } from './all-pages.ts';
import { TITLE } from './layout.ts';
import { markdownPath } from './page.ts';

/** `/llms.txt`: every page as Markdown, for programs that read for people (llmstxt.org). */
export const llmsText = (settings: SiteSettings): PublicDocument => ({
  path: '/llms.txt',
  type: 'text/plain; charset=utf-8',
  body: () =>
    [
      `# ${TITLE}`,
      '> Partners sell gift vouchers, airtime and packages; merchants redeem vouchers and are paid by mobile money.',
      ...allPages(settings).map(
        ({ title, pages }) =>
          `## ${title}\n\n${pages
            .map(
              (page) =>
                `- [${page.title}](${settings.publicUrl}${markdownPath(page)}): ${page.summary}`,
            )
            .join('\n')}`,
      ),
      '',
    ].join('\n\n'),
});
