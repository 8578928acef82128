import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { ProcessRole } from '../../src/db/rights/table-rights.ts';
import { withSession } from '../../src/local/postgres.ts';

export interface TestDatabase {
  readonly url: string;
  /** The address for a login that has the rights of one process. */
  urlFor(role: ProcessRole): string;
  drop(): Promise<void>;
}

/** A migrated, empty database of a test file's own, copied from the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = inject('databaseAdminUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied as files it costs half of what it does by way of the log.
  const template = `template ${inject('templateDatabase')} strategy file_copy`;
  await asAdmin(adminUrl, `create database ${name} ${template}`);
  const url = new URL(adminUrl);
  url.pathname = name;
  return {
    url: url.href,
    urlFor(role) {
      const login = new URL(url);
      ({ name: login.username, password: login.password } = inject('processLogins')[role]);
      return login.href;
    },
    drop: () => asAdmin(adminUrl, `drop database ${name} with (force)`),
  };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  await withSession(url, async (client) => {
    await client.query(statement);
  });
}
