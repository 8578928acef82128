import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releasedDocuments } from '../../docs/generate/released-documents.ts';
import { runProgram } from '../../src/local/processes.ts';
import { findOasdiff } from './oasdiff.ts';

/** Building the program takes minutes on a new machine. */
const BUILD_MS = 15 * 60_000;

let oasdiff: string;
let folder: string;

beforeAll(async () => {
  oasdiff = await findOasdiff();
  folder = await mkdtemp(join(tmpdir(), 'openapi-'));
}, BUILD_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a client of the released document would miss in a later one, one line each. */
async function breakingChanges(released: string, current: string): Promise<string[]> {
  const file = join(folder, basename(released));
  await writeFile(file, current);
  const { exitCode, output } = await runProgram(
    oasdiff,
    ['breaking', '--format', 'singleline', '--fail-on', 'ERR', released, file],
    { timeoutSeconds: 60 },
  );
  if (exitCode === 0) return [];
  return output.split('\n').filter((line) => line.includes('error'));
}

describe.each(Object.entries(releasedDocuments))('%s', (released, make) => {
  it('is still kept: nothing that it promises is gone', async () => {
    expect(
      await breakingChanges(released, make()),
      'Restore what is missing. What callers rely on can only be changed under another version segment.',
    ).toEqual([]);
  });

  it.each<[change: string, spoil: (document: OpenAPIObject) => void]>([
    ['an operation that is gone', ({ paths = {} }) => delete paths['/auth/login']],
    [
      'a field that became needed',
      ({ components }) => {
        const schema = components?.schemas?.LogInRequest as SchemaObject | undefined;
        if (!schema?.properties) throw new Error('Log-in has no body');
        schema.required?.push('secret');
        Object.assign(schema.properties, { secret: { type: 'string' } });
      },
    ],
    [
      'a field of an answer that is gone',
      ({ components }) => {
        const schema = components?.schemas?.LogInResult as SchemaObject | undefined;
        if (!schema?.properties) throw new Error('Log-in has no answer');
        delete schema.properties.accessToken;
        schema.required = schema.required?.filter((name) => name !== 'accessToken') ?? [];
      },
    ],
  ])('notices %s', async (_change, spoil) => {
    const document = JSON.parse(await readFile(released, 'utf8'));
    spoil(document);
    expect(await breakingChanges(released, JSON.stringify(document))).not.toEqual([]);
  });
});
