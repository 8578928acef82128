import type { PublicDocument } from '../../http/files/public-documents.ts';
import { html } from '../../rendering/html.ts';
import { type Archive, archives, checksumOf } from '../downloads/archives.ts';
import { markdownTable, renderMarkdown } from '../markdown.ts';
import { DOCS_PATH, type DocsPage } from '../page.ts';

const PATH = '/downloads';

/** Where an archive is. */
const archiveAddress = ({ file }: Archive): string => `${DOCS_PATH}${PATH}/${file}`;

/** What there is as files, with their checksums. */
export const downloadsPage: DocsPage = {
  path: PATH,
  title: 'Downloads',
  summary: 'Clients, Bruno collections and examples as files, with checksums',
  async write() {
    const markdown = await textOf(archives());
    return { markdown, content: html`<div class="text">${renderMarkdown(markdown)}</div>` };
  },
  entries: () => [
    {
      title: 'Downloads',
      url: DOCS_PATH + PATH,
      text: archives()
        .map(({ title, about }) => `${title}: ${about}.`)
        .join(' '),
    },
  ],
};

async function textOf(all: readonly Archive[]): Promise<string> {
  const rows = await Promise.all(
    all.map(async (archive) => {
      const { length } = await archive.make();
      const link = `[${archive.title}](${archiveAddress(archive)})`;
      return [link, archive.about, `${Math.ceil(length / 1_024)} KB`];
    }),
  );
  return `# Downloads

Everything that an integrator needs as files of this version. [Use a client](${DOCS_PATH}/guides/use-a-client)
says how the clients are called.

${markdownTable(['File', 'What it is', 'Size'], rows)}

The OpenAPI documents are files, too: [partner](${DOCS_PATH}/partner/openapi.json) and
[merchant](${DOCS_PATH}/merchant/openapi.json).

## Compare the checksums

These are the SHA-256 checksums, as [SHA256SUMS](${DOCS_PATH}${CHECKSUMS}) has them:

\`\`\`text
${await checksums()}\`\`\`

In the folder of the files:

\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS
\`\`\`
`;
}

const CHECKSUMS = `${PATH}/SHA256SUMS`;

/** A line for each archive, as `sha256sum` writes and checks it. */
async function checksums(): Promise<string> {
  const lines = archives().map(async ({ file, make }) => `${checksumOf(await make())}  ${file}\n`);
  return (await Promise.all(lines)).join('');
}

/** The archives, and the list of their checksums. */
export const downloads = (): PublicDocument[] => [
  ...archives().map((archive) => ({
    path: archiveAddress(archive),
    type: 'application/gzip',
    body: archive.make,
  })),
  { path: DOCS_PATH + CHECKSUMS, type: 'text/plain; charset=utf-8', body: checksums },
];
