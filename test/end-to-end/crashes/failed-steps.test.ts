import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createFailpoint,
  type Failpoint,
  failpoints,
} from '../../../src/runtime/process/failpoint.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { expectAgreement } from './oracle.ts';
import { createStories, type Stories, type StoryName } from './stories.ts';

/**
 * A fault at every step of every operation, in one process: the step's work is lost, or it is done
 * and its result lost, and the client repeats its request.
 */
let stack: Stack;
let stories: Stories;
let armed: Failpoint = () => undefined;
let reached: string[] = [];

beforeAll(async () => {
  stack = await startStack({ CALLER_WAIT_SECONDS: '3' }, { failpoint: (name) => note(name) });
  stories = await createStories(stack);
});
afterAll(() => stack?.stop());

function note(name: Parameters<Failpoint>[0]) {
  reached.push(name);
  return armed(name);
}

/**
 * Nobody waits for the outbox: test/end-to-end/processes/invitations.test.ts,
 * test/pages/portal/statements/statement-emails.test.ts and test/db/reports/day-report-emails.test.ts have its crashes.
 */
const { outbox: _outbox, archive: _archive, ...ofRequests } = failpoints;
const cases = Object.entries(ofRequests).flatMap(([story, names]) =>
  // After the answer nothing is left that could fail; only death counts there.
  names.filter((name) => !name.endsWith('-answered')).map((name) => [name, story] as const),
);

it.each(cases)('%s fails once: the request ends well all the same', async (name, story) => {
  reached = [];
  armed = createFailpoint(`${name}:throw`);
  await stories.stories[story as StoryName]();
  // The confirmation by SMS comes after the answer.
  await until(() => expect(reached).toContain(name));
  armed = () => undefined;
});

it.each(['topup-sent', 'topup-ended', 'topup-end-committed'] as const)(
  '%s fails once after a refusal: it stays one, and nothing is charged',
  async (name) => {
    armed = createFailpoint(`${name}:throw`);
    expect((await stories.stories.topup('006')).status).toBe(424);
  },
);

it('every operation was done once, whatever failed', async () => {
  await expectAgreement(stack, stories);
  const refused = stories.log.operations.filter(
    ({ answers }) => ![200, 424].includes(answers.at(-1)?.status ?? 0),
  );
  expect(refused).toEqual([]);
});

it('no claim that was made is shown as refused', async () => {
  const claims = await stack.database.selectFrom('voucher_claims').select('workflow_id').execute();
  expect(claims).not.toEqual([]);
  for (const { workflow_id } of claims) {
    const details = await detailsOf(stack.temporal.client.workflow.getHandle(workflow_id));
    expect(details).not.toContain('**Refused**');
  }
});
