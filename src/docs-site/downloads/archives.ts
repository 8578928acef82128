import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { once } from '../../http/once.ts';
import { readCompiledClient } from './compiled-client.ts';
import { type ArchivedFile, tarOf } from './tar.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What can be downloaded, before it is made. */
export interface Archive {
  readonly file: string;
  readonly title: string;
  /** What it is, and what to do with it; in Markdown. */
  readonly about: string;
  /** Makes it once. */
  readonly make: () => Promise<Buffer>;
}

/** Everything that an integrator needs as files. Each file is in a folder, as its tools expect. */
export const archives = once((): readonly Archive[] => {
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
export const checksumOf = (content: Buffer): string =>
  createHash('sha256').update(content).digest('hex');

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
