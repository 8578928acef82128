import type { WorkflowInfo } from '@temporalio/workflow';
import { expect, it } from 'vitest';
import { type Answers, createAnswers } from '../../../src/runtime/temporal/answers.ts';

/** As the worker does when a workflow tells its answer. */
const tell = ({ sinks }: Answers, workflowId: string, answer: unknown) =>
  sinks.answers.tell.fn({ workflowId } as WorkflowInfo, answer, true);

it('a caller has the first answer of its workflow', async () => {
  const answers = createAnswers();
  const one = answers.listen('one');
  const other = answers.listen('other');
  tell(answers, 'other', 'of the other');
  tell(answers, 'nobody', 'waits for this');
  tell(answers, 'one', { ok: true });
  tell(answers, 'one', 'a second answer');
  expect(await Promise.all([one?.answer, other?.answer])).toEqual([
    { answer: { ok: true }, isKept: true },
    { answer: 'of the other', isKept: true },
  ]);
});

it('a second caller of a workflow has nothing, until the first one ends', async () => {
  const answers = createAnswers();
  const first = answers.listen('one');
  expect(answers.listen('one')).toBeUndefined();
  tell(answers, 'one', 'once');
  expect(await first?.answer).toMatchObject({ answer: 'once' });
  first?.end();
  const next = answers.listen('one');
  tell(answers, 'one', 'again');
  expect(await next?.answer).toMatchObject({ answer: 'again' });
});
