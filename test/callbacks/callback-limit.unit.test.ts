import { expect, it } from 'vitest';
import { createCallbackLimit } from '../../src/callbacks/nudges.ts';
import { WorkflowsUnavailableError } from '../../src/operations/call-errors.ts';

const taken = () => Promise.resolve('taken');
const failing = () => Promise.reject(new WorkflowsUnavailableError(true));
const several = (count: number, make: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, make));

it('drops what is beyond the limit of a subject', async () => {
  const withinLimit = createCallbackLimit();
  const answers = await several(25, () => withinLimit('one', taken));
  expect(answers.filter((answer) => answer === 'taken')).toHaveLength(20);
  expect(answers.slice(20)).toEqual(Array(5).fill(undefined));
  expect(await withinLimit('another', taken)).toBe('taken');
});

it('does not count a nudge that reached nobody, and no more than the limit are under way at once', async () => {
  const withinLimit = createCallbackLimit();
  for (let time = 0; time < 25; time += 1)
    await expect(withinLimit('one', failing)).rejects.toThrow('could not be reached');
  const burst = await Promise.allSettled(
    Array.from({ length: 25 }, () => withinLimit('one', failing)),
  );
  expect(burst.filter(({ status }) => status === 'rejected')).toHaveLength(20);
  const after = await several(21, () => withinLimit('one', taken));
  expect(after.filter((answer) => answer === 'taken')).toHaveLength(20);
});

it('counts a nudge that may have arrived', async () => {
  const withinLimit = createCallbackLimit();
  const unknown = () => Promise.reject(new WorkflowsUnavailableError(false));
  await Promise.allSettled(Array.from({ length: 20 }, () => withinLimit('one', unknown)));
  expect(await withinLimit('one', taken)).toBeUndefined();
});
