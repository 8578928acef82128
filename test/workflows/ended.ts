import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect } from 'vitest';
import type { Stack } from '../support/stack.ts';
import { lackingWords } from './details-of.ts';

/**
 * Waits for the end of a workflow, or of one run of it, and gives its result, or the error that it ended with. Its
 * page must say then how it stands, and what its messages are for. With
 * `RECORD_HISTORIES=1` it also writes a history that has a name to test/histories, where replay.test.ts holds
 * later code against it.
 */
export async function ended(
  stack: Stack,
  workflowId: string,
  history?: string,
  runId?: string,
): Promise<unknown> {
  const { workflow } = stack.temporal.client;
  // A caller that still waits may begin another run as soon as this one has ended.
  const handle = workflow.getHandle(
    workflowId,
    runId ?? (await workflow.getHandle(workflowId).describe()).runId,
  );
  const result = await handle.result().catch((error: unknown) => error);
  expect(await lackingWords(handle), workflowId).toEqual([]);
  if (history !== undefined && process.env.RECORD_HISTORIES === '1') {
    const folder = new URL('../histories/', import.meta.url);
    const events = JSON.parse(historyToJSON(await handle.fetchHistory()));
    const text = `${JSON.stringify(events, withoutIdentity)}\n`;
    await writeFile(new URL(`${history}.json`, folder), text);
  }
  return result;
}

/** Identities and sticky queues name the process and the machine that recorded a history. */
const withoutIdentity = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.replace(/\b\d+@[\w.-]+/g, 'recorder') : value;
