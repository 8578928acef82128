import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedPages } from './generated-pages.ts';
import { releasedDocuments } from './released-documents.ts';

/**
 * `npm run docs`: writes the pages that are made of a source. `npm run docs -- --release`, of a version
 * that is published: writes the documents that later versions are compared with, too.
 */
const files = process.argv.includes('--release')
  ? { ...generatedPages, ...releasedDocuments }
  : generatedPages;
for (const [file, make] of Object.entries(files)) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, make());
  process.stdout.write(`${file}\n`);
}
