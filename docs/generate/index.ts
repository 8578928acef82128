import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectDatabase } from '../../src/db/connection.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { startPostgres } from '../../src/local/postgres.ts';
import { silentProgress } from '../../src/runtime/process/progress.ts';
import { generatedPages } from './generated-pages.ts';
import { releasedDocuments } from './released-documents.ts';
import { tableTypes, tableTypesFile } from './table-types.ts';

/** Makes the types of the tables from a database of its own that has just been migrated. */
async function tableTypesOfMigrations(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'voucher-topup-service-docs-'));
  const postgres = await startPostgres({
    dataDirectory: join(directory, 'postgres'),
    port: 0,
    settings: { fsync: 'off' },
    progress: silentProgress,
  });
  const database = connectDatabase(postgres.url, { poolSize: 4 });
  try {
    await migrateToLatest(postgres.url);
    return await tableTypes(database);
  } finally {
    await database.destroy();
    await postgres.stop();
    rmSync(directory, { recursive: true });
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${file}\n`);
}

/**
 * `npm run docs`: writes the pages that are made of a source. `npm run docs -- --release`, of a version
 * that is published: writes the documents that later versions are compared with, too.
 */
const files = process.argv.includes('--release')
  ? { ...generatedPages, ...releasedDocuments }
  : generatedPages;
for (const [file, make] of Object.entries(files)) write(file, make());
write(tableTypesFile, await tableTypesOfMigrations());
