import type { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { guardActivities } from '../../../src/runtime/temporal/interceptors.ts';
import { foreignPayload } from '../../../workflows/addressed-input.ts';

const run = (activityType: string, isLocal: boolean, argument: unknown) => {
  const { inbound } = guardActivities({ info: { activityType, isLocal } } as Context);
  return inbound?.execute?.({ args: [argument], headers: {} }, async () => 'done');
};

it.each([
  ['a step in the database beside a workflow', 'endTopup', false, 'operation'],
  ['a step with foreign data', 'endTopup', true, foreignPayload],
  ['a call with foreign data', 'sendTopup', false, foreignPayload],
])('does not run %s', async (_name, type, isLocal, argument) => {
  const refused = { type: 'CommandFromOutside', nonRetryable: true };
  await expect(run(type, isLocal, argument)).rejects.toMatchObject(refused);
});

it.each([
  ['endTopup', true],
  ['sendTopup', false],
])('runs %s as workflows ask for it', async (type, isLocal) => {
  expect(await run(type, isLocal, 'operation')).toBe('done');
});
