import { randomUUID } from 'node:crypto';
import { withSession } from '../src/local/postgres.ts';

/** Copies a database that nobody uses; returns the address of the copy. */
export async function copyDatabase(templateUrl: string): Promise<string> {
  const url = new URL(templateUrl);
  const template = url.pathname.slice(1);
  const copy = `bench_${randomUUID().replaceAll('-', '')}`;
  url.pathname = 'postgres';
  await withSession(url.href, async (client) => {
    await client.query(`create database ${copy} template ${template}`);
  });
  url.pathname = copy;
  return url.href;
}
