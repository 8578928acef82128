import { readdir, readFile } from 'node:fs/promises';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { readPayloadKeys } from '../../src/config/config.ts';
import { createDataConverter } from '../../src/temporal/connection.ts';
import * as exported from '../../workflows/index.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';
import { historyFiles } from './released-histories.ts';

const folder = new URL('../histories/', import.meta.url);
const workflows = new URL('../../workflows/', import.meta.url);

type HistoryEvent = NonNullable<ReturnType<typeof historyFromJSON>['events']>[number];

const read = async () => {
  return Promise.all(
    (await historyFiles()).map(async (name) => ({
      workflowId: name,
      history: historyFromJSON(JSON.parse(await readFile(new URL(name, folder), 'utf8'))),
    })),
  );
};

/**
 * Every recorded history must replay on today's workflows: what production has running goes on after
 * a deployment. Those of each release are in a folder of their own, and never change.
 */
it('replays every recorded history', async () => {
  const histories = await read();
  expect(histories.length).toBeGreaterThan(10);
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

it('has a history of every workflow, and of every change of one', async () => {
  const events = (await read()).flatMap(({ history }) => history.events ?? []);
  const types = new Set(
    events.map((event) => event.workflowExecutionStartedEventAttributes?.workflowType?.name),
  );
  const patches = new Set(events.flatMap(patchesIn));
  const sources = await Promise.all(
    (await readdir(workflows, { recursive: true }))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFile(new URL(name, workflows), 'utf8')),
  );
  const named = sources.join('\n').matchAll(/\bpatched\('([^']+)'\)/g);
  const isMissing = (name: string) => !types.has(name) && !patches.has(name);
  const expected = [...Object.keys(exported), ...[...named].map(([, name]) => name ?? '')];
  expect(expected.length).toBeGreaterThan(10);
  expect(expected.filter(isMissing), 'record it: RECORD_HISTORIES=1').toEqual([]);
});

/** The changes that a history says it was made with. */
const patchesIn = ({ markerRecordedEventAttributes: marker }: HistoryEvent): string[] =>
  marker?.markerName === 'core_patch'
    ? Object.values(marker.details ?? {}).flatMap(({ payloads }) =>
        (payloads ?? []).map(({ data }) => JSON.parse(String(Buffer.from(data ?? []))).id),
      )
    : [];
