import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { prepareTemporal } from '../../../src/runtime/temporal/schedules.ts';
import * as searchAttributes from '../../../workflows/search-attributes.ts';
import { until } from '../../support/until.ts';

let connection: Connection;
let namespace: string;

beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
  namespace = `prepare-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  // A namespace is known to every part of the server a moment after its registration.
  await until(() => registered());
});
afterAll(() => connection?.close());

async function registered(): Promise<string[]> {
  const answer = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(answer.customAttributes ?? {}).sort();
}

const names = Object.values(searchAttributes).map(({ name }) => name);
const prepare = () => prepareTemporal({ address: inject('temporalAddress'), namespace });

const untilRegistered = () =>
  until(async () => expect(await registered()).toEqual(expect.arrayContaining(names)));

it('registers the search attributes that the workflows set, by several processes at once', async () => {
  expect(await registered()).not.toEqual(expect.arrayContaining(names));
  await Promise.all([prepare(), prepare(), prepare()]);
  await untilRegistered();
});

it('is harmless when it is repeated', async () => {
  const before = await registered();
  await prepare();
  await prepare();
  expect(await registered()).toEqual(before);
});

it('registers a namespace that is missing', async () => {
  namespace = `missing-${randomUUID()}`;
  await prepare();
  await untilRegistered();
  await prepare();
});
