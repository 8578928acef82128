import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../src/local/processes.ts';
import type { FailpointName } from '../../../src/runtime/process/failpoint.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { type ProcessScene, setProcessScene } from '../processes/process-scene.ts';
import { expectAgreement } from './oracle.ts';
import { createStories, type Stories, type StoryName, type StoryTools } from './stories.ts';

/**
 * Worker and API die by SIGKILL at one step after the other. Each process takes over what the ones
 * before it left, and clients repeat their requests all the while. These are the steps between an
 * effect and the record of it; failed-steps.test.ts fails at every step.
 */
const cases: readonly (readonly [StoryName, FailpointName])[] = [
  ['generate', 'generate-begun'],
  ['bulk', 'bulk-settled'],
  ['claim', 'claim-sent'],
  ['redeem', 'redeem-held'],
  ['redeem', 'redeem-paid'],
  ['redeem', 'redeem-post-committed'],
  ['redeem', 'redeem-answered'],
  ['reverse', 'reverse-sent'],
  ['topup', 'topup-sent'],
  ['topup', 'topup-end-committed'],
  ['retry', 'retry-sent'],
];

let scene: ProcessScene;
let stack: StoryTools;
let stories: Stories;
let service: ServiceProcess;
let port: string;
const told: Promise<unknown>[] = [];

/** Begins a story that is awaited when all processes have died; until then it must not fail alone. */
function tell(name: StoryName): void {
  const story: Promise<unknown> = stories.stories[name]();
  story.catch(() => {});
  told.push(story);
}

beforeAll(async () => {
  scene = await setProcessScene();
  port = String(await freePort());
  stack = scene.stackAt(port);
  scene.start('sandbox');
  await scene.start('migrate').ended;
  service = await start();
  await until(() => call(`${scene.sandboxUrl}/books`));
  stories = await createStories(stack);
});
afterAll(() => scene?.stop());

async function start(failpoint?: FailpointName): Promise<ServiceProcess> {
  const started = scene.start('service', {
    PORT: port,
    // To those who wait, the whole chain is one story: nothing may expire on the way.
    ACCESS_TOKEN_LIFETIME_SECONDS: '3600',
    CLAIM_LIFETIME_SECONDS: '3600',
    ...(failpoint ? { FAILPOINT: `${failpoint}:kill` } : {}),
  });
  await started.logged('Service is running');
  return started;
}

it.each(cases)(
  '%s: the process dies at %s',
  async (story, failpoint) => {
    await service.kill();
    service = await start(failpoint);
    tell(story);
    expect(await service.ended).toBe('SIGKILL');
  },
  120_000,
);

it('the next process brings all of it to its end, once', async () => {
  service = await start();
  await Promise.all(told);
  await expectAgreement(stack, stories);
  const ends = stories.log.operations.map(({ answers }) => answers.at(-1)?.status);
  expect(ends.filter((status) => status !== 200 && status !== 424)).toEqual([]);
  expect(await service.stop()).toBe(0);
});
