import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Copies a database that nobody uses; returns the address of the copy. */
export async function copyDatabase(templateUrl: string): Promise<string> {
  const url = new URL(templateUrl);
  const template = url.pathname.slice(1);
  const copy = `bench_${randomUUID().replaceAll('-', '')}`;
  url.pathname = 'postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`create database ${copy} template ${template}`);
  } finally {
    await client.end();
  }
  url.pathname = copy;
  return url.href;
}
