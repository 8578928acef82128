import { readdir, readFile } from 'node:fs/promises';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { readPayloadKeys } from '../../src/config/config.js';
import { createDataConverter } from '../../src/temporal/connection.js';
import { TEST_PAYLOAD_KEYS } from './payload-keys.js';

const folder = new URL('../histories/', import.meta.url);

/**
 * Every recorded history must replay on today's workflows: what production has running goes on after
 * a deployment. A history is deleted only together with the patch that it was recorded before.
 */
it('replays every recorded history', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(10);
  const histories = await Promise.all(
    files.map(async (name) => ({
      workflowId: name,
      history: historyFromJSON(JSON.parse(await readFile(new URL(name, folder), 'utf8'))),
    })),
  );
  const results = Worker.runReplayHistories(
    {
      workflowBundle: { codePath: inject('workflowBundlePath') },
      dataConverter: createDataConverter(readPayloadKeys(TEST_PAYLOAD_KEYS)),
    },
    histories,
  );
  const errors: string[] = [];
  for await (const { workflowId, error } of results) {
    if (error) errors.push(`${workflowId}: ${error.message}`);
  }
  expect(errors).toEqual([]);
});
