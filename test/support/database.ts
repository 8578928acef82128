import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { ProcessRole } from '../../src/db/rights.js';
import { groupRole } from '../../src/db/roles.js';

export interface TestDatabase {
  readonly url: string;
  /** The address for a new login that has the rights of one process. */
  urlFor(role: ProcessRole): Promise<string>;
  drop(): Promise<void>;
}

/** A migrated, empty database of a test file's own, copied from the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = inject('databaseAdminUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(adminUrl, `create database ${name} template ${inject('templateDatabase')}`);
  const url = new URL(adminUrl);
  url.pathname = name;
  return {
    url: url.href,
    async urlFor(role) {
      const login = new URL(url);
      login.username = `login_${role}_${randomUUID()}`;
      login.password = randomUUID();
      // The rights are the template's, and so are the groups that have them.
      const group = groupRole(inject('templateDatabase'), role);
      await asAdmin(
        adminUrl,
        `create role "${login.username}" login password '${login.password}' in role "${group}"`,
      );
      return login.href;
    },
    drop: () => asAdmin(adminUrl, `drop database ${name} with (force)`),
  };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
