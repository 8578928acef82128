import { mkdir, writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect } from 'vitest';
import type { Stack } from '../support/stack.ts';
import { lackingWords } from './details-of.ts';

/**
 * Waits for the end of a workflow, or of one run of it, and gives its result, or the error that it ended with. Its
 * page must say then how it stands, and what its messages are for. With
 * `RECORD_HISTORIES=1` it also writes the history to test/histories, where replay.test.ts holds later
 * code against it. One that is there stays: what has other commands now needs a scenario of another
 * name.
 */
export async function ended(
  stack: Stack,
  workflowId: string,
  scenario: string,
  runId?: string,
): Promise<unknown> {
  const handle = stack.temporal.client.workflow.getHandle(workflowId, runId);
  const result = await handle.result().catch((error: unknown) => error);
  expect(await lackingWords(handle), scenario).toEqual([]);
  if (process.env.RECORD_HISTORIES === '1') {
    const folder = new URL('../histories/', import.meta.url);
    await mkdir(folder, { recursive: true });
    const history = await handle.fetchHistory();
    const text = `${JSON.stringify(JSON.parse(historyToJSON(history)), withoutIdentity)}\n`;
    await writeFile(new URL(`${scenario}.json`, folder), text, { flag: 'wx' }).catch(unlessThere);
  }
  return result;
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Identities and sticky queues name the process and the machine that recorded a history. */
const withoutIdentity = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.replace(/\b\d+@[\w.-]+/g, 'recorder') : value;
