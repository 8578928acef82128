import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PublicDocument } from '../http/files.ts';
import { once } from '../http/once.ts';
import { html } from '../rendering/html.ts';
import { markdownTable, renderMarkdown } from './markdown.ts';
import { DOCS_PATH, type DocsPage } from './page.ts';

const CLIENT = fileURLToPath(new URL('../../clients/typescript/', import.meta.url));

/**
 * Reads the folder of the TypeScript client's programs and types. The build of the image has compiled them;
 * a process that runs from sources compiles them itself, so that they are never older than their sources.
 */
async function readCompiledClient<Read>(read: (folder: string) => Read): Promise<Read> {
  if (!import.meta.url.endsWith('.ts')) return read(join(CLIENT, 'dist'));
  const folder = await mkdtemp(join(tmpdir(), 'voucher-topup-client-'));
  try {
    const compiler = fileURLToPath(import.meta.resolve('typescript/package.json'));
    const program = join(compiler, '../bin/tsc');
    await promisify(execFile)(process.execPath, [program, '-p', CLIENT, '--outDir', folder]);
    return read(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file of an archive. */
interface ArchivedFile {
  /** With slashes; of at most 100 bytes, since longer ones need extensions of the format. */
  readonly path: string;
  readonly content: Buffer;
  /** A program, such as a shell script. */
  readonly isExecutable?: boolean;
}

const BLOCK = 512;

/**
 * A tar archive (POSIX ustar) of files. It depends on nothing but them: neither times nor people of the
 * machine are in it, so that the same files always have the same checksum.
 */
const tarOf = (files: readonly ArchivedFile[]): Buffer =>
  Buffer.concat([...files.flatMap(entryOf), Buffer.alloc(2 * BLOCK)]);

function entryOf(file: ArchivedFile): Buffer[] {
  const { content } = file;
  return [headerOf(file), content, Buffer.alloc(-content.length & (BLOCK - 1))];
}

/** Some programs refuse files of 1970. */
const TIME_SECONDS = Date.UTC(2000, 0, 1) / 1_000;

/** Where the fields of a header begin. */
const AT = {
  mode: 100,
  owner: 108,
  group: 116,
  size: 124,
  time: 136,
  sum: 148,
  type: 156,
  magic: 257,
};

function headerOf({ path, content, isExecutable = false }: ArchivedFile): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number, at: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(path, 0);
  octal(isExecutable ? 0o755 : 0o644, 8, AT.mode);
  octal(0, 8, AT.owner);
  octal(0, 8, AT.group);
  octal(content.length, 12, AT.size);
  octal(TIME_SECONDS, 12, AT.time);
  header.write('0', AT.type);
  header.write('ustar\x0000', AT.magic, 'latin1');
  // The sum counts its own field as spaces.
  header.fill(' ', AT.sum, AT.sum + 8);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, AT.sum, 'latin1');
  return header;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A download before it is made. */
interface Archive {
  readonly file: string;
  readonly title: string;
  /** The file and its use, in Markdown. */
  readonly about: string;
  /** Makes it once. */
  readonly make: () => Promise<Buffer>;
}

/** Everything that an integrator needs as files. Each file is in a folder, as its tools expect. */
const archives = once((): readonly Archive[] => {
  const typescript = `voucher-topup-client-${versionIn('clients/typescript/package.json')}.tgz`;
  const python = `voucher_topup-${versionIn('clients/python/pyproject.toml')}`;
  const all: Archive[] = [
    {
      file: typescript,
      title: 'Client for Node.js',
      about: `\`npm install ./${typescript}\`: the package \`@voucher-topup/client\`, with types`,
      make: async () =>
        compressed([
          ...filesOf('clients/typescript', 'package', ['package.json', 'README.md']),
          ...(await readCompiledClient((folder) => filesBelow(folder, 'package/dist'))),
        ]),
    },
    {
      file: `${python}.tar.gz`,
      title: 'Client for Python',
      about: `\`pip install ./${python}.tar.gz\`: the package \`voucher-topup\`, with types`,
      make: async () =>
        compressed([
          ...filesOf('clients/python', python, ['pyproject.toml', 'README.md']),
          ...filesBelow(join(ROOT, 'clients/python/src'), `${python}/src`),
        ]),
    },
    folderArchive('clients/bruno', 'bruno-collections', {
      title: 'Bruno collections',
      about: 'Every request of both APIs; its `README.md` says what to set',
    }),
    folderArchive('examples/webhooks', 'webhook-receivers', {
      title: 'Receivers of webhooks',
      about: 'Servers that check the signature of a message, for Node.js and Python',
    }),
    folderArchive('examples/signing', 'signing-programs', {
      title: 'Signing programs',
      about: 'A signed claim as a whole program in shell, Node.js, Python, PHP, Java, C# and Go',
    }),
  ];
  return all.map((archive) => ({ ...archive, make: once(archive.make) }));
});

/** The version that a package names itself, in JSON or in TOML. */
function versionIn(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [, version] = /^ *"?version"?(?:: | = )"([^"]+)"/m.exec(text) ?? [];
  if (version === undefined) throw new Error(`${file} names no version`);
  return version;
}

const folderArchive = (
  folder: string,
  name: string,
  words: Pick<Archive, 'title' | 'about'>,
): Archive => ({
  file: `${name}.tar.gz`,
  ...words,
  make: async () => compressed(filesBelow(join(ROOT, folder), name)),
});

/** The checksum by which a reader compares what came with what is here. */
const checksumOf = (content: Buffer): string => hash('sha256', content);

const zipped = promisify(gzip);
const compressed = async (files: readonly ArchivedFile[]): Promise<Buffer> =>
  zipped(tarOf(files), { level: 9 });

const filesOf = (folder: string, target: string, names: readonly string[]): ArchivedFile[] =>
  names.map((name) => fileAt(join(ROOT, folder, name), `${target}/${name}`));

/** Written by Python and by editors, and not ours. */
const isOurs = (path: string): boolean => !/(^|\/)(__pycache__|\.[^/]+)(\/|$)/.test(path);

function filesBelow(folder: string, target: string): ArchivedFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => isOurs(path.slice(folder.length)))
    .sort()
    .map((path) => fileAt(path, target + path.slice(folder.length)));
}

const fileAt = (path: string, target: string): ArchivedFile => ({
  path: target,
  content: readFileSync(path),
  isExecutable: (statSync(path).mode & 0o100) !== 0,
});

const PATH = '/downloads';

/** Where an archive is. */
const archiveAddress = ({ file }: Archive): string => `${DOCS_PATH}${PATH}/${file}`;

/** The downloads as files, with their checksums. */
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
