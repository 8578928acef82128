import { writeFileSync } from 'node:fs';
import { generatedPages } from './generated-pages.js';

/** `npm run docs`: writes the pages that are made of a source. */
for (const [file, make] of Object.entries(generatedPages)) {
  writeFileSync(file, make());
  process.stdout.write(`${file}\n`);
}
