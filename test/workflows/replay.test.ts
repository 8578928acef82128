import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { readPayloadKeys } from '../../src/config/config.ts';
import { sdkLabelValues } from '../../src/runtime/metrics/metrics.ts';
import { createDataConverter } from '../../src/runtime/temporal/connection.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

const folder = new URL('../histories/', import.meta.url);
const workflows = new URL('../../workflows/', import.meta.url);

type HistoryEvent = NonNullable<ReturnType<typeof historyFromJSON>['events']>[number];

const filesIn = async (of: URL, extension: string): Promise<string[]> =>
  (await readdir(of, { recursive: true })).filter((name) => name.endsWith(extension)).sort();

const readHistories = async () =>
  Promise.all(
    (await filesIn(folder, '.json')).map(async (name) => {
      const history = historyFromJSON(JSON.parse(await readFile(new URL(name, folder), 'utf8')));
      const { workflowId } = history.events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
      // Payloads can be read in their own workflow only.
      if (!workflowId) throw new Error(`${name} does not say whose history it is`);
      return { name, workflowId, history };
    }),
  );

type Recorded = Awaited<ReturnType<typeof readHistories>>[number];

/** A run that was reset has an id of its own, and replays what came before the reset. */
function asReset({ history }: Recorded): void {
  const { workflowExecutionStartedEventAttributes: started } = history.events?.[0] ?? {};
  if (started) started.firstExecutionRunId = randomUUID();
}

/**
 * Every recorded history must replay on today's workflows: what production has running goes on after
 * a deployment. Those of each release are in a folder of their own, and never change.
 */
it.each([
  ['as it is', () => undefined],
  ['in a run that was reset', asReset],
])('replays every recorded history, %s', async (_, change) => {
  const histories = await readHistories();
  expect(histories.length).toBeGreaterThan(10);
  histories.forEach(change);
  const results = Worker.runReplayHistories(
    {
      workflowBundle: { codePath: inject('workflowBundlePath') },
      dataConverter: createDataConverter(readPayloadKeys(TEST_PAYLOAD_KEYS)),
    },
    histories,
  );
  const errors: string[] = [];
  for await (const { workflowId, error } of results) {
    const of = histories.find((history) => history.workflowId === workflowId);
    if (error) errors.push(`${of?.name}: ${error.message}`);
  }
  expect(errors).toEqual([]);
});

it('has a history of every workflow, activity, signal, update and patch', async () => {
  const events = (await readHistories()).flatMap(({ history }) => history.events ?? []);
  const recorded = new Set(events.flatMap(namesIn));
  const { workflow_type: types = [], activity_type: activities = [] } = sdkLabelValues;
  const named = await namesInSources(
    /\b(?:defineSignal|defineUpdate|patched)(?:<[^(]*>)?\(\s*'([^']+)'/g,
  );
  expect(named.length).toBeGreaterThan(10);
  const isMissing = (name: string) => !recorded.has(name);
  const missing = [...types, ...activities, ...named].filter(isMissing);
  expect(missing, 'record it: RECORD_HISTORIES=1').toEqual([]);
});

/** What the sources of the workflows name in a place that the expression finds. */
async function namesInSources(expression: RegExp): Promise<string[]> {
  const sources = await Promise.all(
    (await filesIn(workflows, '.ts')).map((name) => readFile(new URL(name, workflows), 'utf8')),
  );
  return [...sources.join('\n').matchAll(expression)].flatMap(([, name]) => name ?? []);
}

/** The workflow, activity, signal, update or patch of an event. */
const namesIn = (event: HistoryEvent): string[] =>
  [
    event.workflowExecutionStartedEventAttributes?.workflowType?.name,
    event.activityTaskScheduledEventAttributes?.activityType?.name,
    event.workflowExecutionSignaledEventAttributes?.signalName,
    event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name,
    ...markedIn(event),
  ].filter((name) => typeof name === 'string');

/** Local activities and patches are markers, whose names are not encrypted. */
const markedIn = ({ markerRecordedEventAttributes: marker }: HistoryEvent): unknown[] => {
  const { data, 'patch-data': patch } = marker?.details ?? {};
  const payloads = (data ?? patch)?.payloads ?? [];
  return payloads
    .map((payload) => JSON.parse(String(Buffer.from(payload.data ?? []))))
    .map(({ activity_type: activity, id }) => activity ?? id);
};
