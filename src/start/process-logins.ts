import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { ProcessRole } from '../db/rights/rights.ts';
import { groupRole } from '../db/rights/roles.ts';

interface ProcessAddresses {
  readonly DATABASE_URL: string;
  readonly WORKER_DATABASE_URL: string;
}

/**
 * Gives the API and the worker logins of their own on a migrated database, with passwords for this start
 * alone. The address must be that of a login that may make others.
 */
export async function makeProcessLogins(databaseUrl: string): Promise<ProcessAddresses> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const [api, worker] = [
      await makeLogin(client, databaseUrl, 'api'),
      await makeLogin(client, databaseUrl, 'worker'),
    ];
    return { DATABASE_URL: api, WORKER_DATABASE_URL: worker };
  } finally {
    await client.end();
  }
}

async function makeLogin(
  client: pg.Client,
  databaseUrl: string,
  role: ProcessRole,
): Promise<string> {
  const url = new URL(databaseUrl);
  const group = groupRole(url.pathname.slice(1), role);
  url.username = `start_${role}`;
  url.password = randomBytes(24).toString('hex');
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [
    url.username,
  ]);
  if (rowCount === 0) await client.query(`create role ${url.username} login`);
  await client.query(`alter role ${url.username} password '${url.password}'`);
  await client.query(`grant ${pg.escapeIdentifier(group)} to ${url.username}`);
  return url.href;
}
