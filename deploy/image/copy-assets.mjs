// A step of `npm run build`: what processes read as files goes to dist, beside the compiled modules.
import { cpSync, statSync } from 'node:fs';

const NOT_OF_PRODUCTION = /^src\/(local|sandbox)(\/|$)/;

for (const folder of ['src', 'workflows', 'activities', 'migrations']) {
  cpSync(folder, `dist/${folder}`, {
    recursive: true,
    filter: (path) =>
      !NOT_OF_PRODUCTION.test(path) && (statSync(path).isDirectory() || !path.endsWith('.ts')),
  });
}
// What the pages at /docs are made of, and what is downloaded there.
for (const path of [
  'docs/guides/integrate',
  'CHANGELOG.md',
  ...['package.json', 'README.md'].map((file) => `clients/typescript/${file}`),
  ...['pyproject.toml', 'README.md', 'src'].map((file) => `clients/python/${file}`),
  'clients/bruno',
  ...['webhooks', 'signing'].map((folder) => `examples/${folder}`),
])
  cpSync(path, `dist/${path}`, { recursive: true });
// The guides at /support.
for (const guide of ['support.md', 'repair-a-case.md'])
  cpSync(`docs/guides/${guide}`, `dist/docs/guides/${guide}`);
