import { readFileSync } from 'node:fs';
import { renderMarkdown, type SiteAddresses, withAddresses } from '../../docs-site/markdown.ts';
import { type Html, html } from '../../rendering/html.ts';
import { namespacePages, type TemporalUi } from '../../runtime/process/temporal-ui.ts';
import { type StaffPage, SUPPORT_PATH, support } from '../page.ts';

const GUIDE_PATH = `${SUPPORT_PATH}/guide`;

/** The guides that people of the service read at work, by their files in `docs/guides`. */
const paths = {
  'support.md': GUIDE_PATH,
  'repair-a-case.md': `${GUIDE_PATH}/repairs`,
} as const;

type GuideFile = keyof typeof paths;

const isHere = (file: string): file is GuideFile => file in paths;

/** The Temporal UI of `npm start`, which the guides are written with. */
const WRITTEN_PAGES = 'http://localhost:8233/namespaces/default';

/** A link to another guide that is here, within the guide of `own`, or to the Temporal UI where there is one. */
const addressesFrom =
  (own: string, temporal?: TemporalUi) =>
  (href: string): string | undefined => {
    if (href.startsWith(WRITTEN_PAGES)) {
      const pages = temporal && namespacePages(temporal);
      return pages && href.replace(WRITTEN_PAGES, pages);
    }
    const [file = '', part] = href.split('#', 2);
    if (file !== '' && !isHere(file)) return undefined;
    const path = file === '' ? own : paths[file];
    return part === undefined ? path : `${path}#${part}`;
  };

const readGuide = (file: GuideFile): string =>
  readFileSync(new URL(`../../../docs/guides/${file}`, import.meta.url), 'utf8');

/** The complaint of a customer, and the steps of an agent. */
interface Complaint {
  readonly title: string;
  readonly markdown: string;
}

/** The complaints of the guide, which the search shows next to its field. */
export const complaints: readonly Complaint[] = (
  /^## What the customer says\n([\s\S]*?)^## /m.exec(readGuide('support.md'))?.[1] ?? ''
)
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.split('\n');
    return { title, markdown: lines.join('\n') };
  });

export const renderComplaint = ({ markdown }: Complaint, addresses: SiteAddresses): Html =>
  renderMarkdown(withAddresses(markdown, addresses), addressesFrom(GUIDE_PATH));

/** A guide as people of the service read it at work. */
function guide(file: Parameters<typeof readGuide>[0], path: string): StaffPage {
  const markdown = readGuide(file);
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file;
  return support.page({
    path,
    title,
    needs: 'look',
    handle: ({ services: { settings } }) => {
      const text = withAddresses(markdown, settings.http);
      return html`<div class="guide">${renderMarkdown(text, addressesFrom('', settings.temporal))}</div>`;
    },
  });
}

/** How to find and understand a case. */
export const showGuide = guide('support.md', '/guide');

/** How to repair a case. */
export const showRepairGuide = guide('repair-a-case.md', '/guide/repairs');
