import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Environment } from '../../../src/config/config.ts';
import { freePort } from '../../../src/local/processes.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { startLoad } from '../crashes/load.ts';
import { expectAgreement } from '../crashes/oracle.ts';
import { createStories, type Stories } from '../crashes/stories.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type ProcessScene, setProcessScene } from './process-scene.ts';

/**
 * Two APIs and two workers, of which one API and one worker are one process, are replaced one after the other, as a
 * release does it, under load.
 */
const CLIENTS = 4;
let scene: ProcessScene;
let balancer: Balancer | undefined;
beforeAll(async () => {
  scene = await setProcessScene();
  scene.start('sandbox');
  expect(await scene.start('migrate').ended).toBe(0);
  await until(() => call(`${scene.sandboxUrl}/books`));
});
afterAll(async () => {
  await balancer?.stop();
  await scene?.stop();
});

const started = {
  api: 'API is listening',
  worker: 'Worker is running',
  service: 'Service is running',
} as const;

/** A process that can be replaced by the next one of its kind at the same place. */
async function makePlace(name: keyof typeof started, settings: Environment) {
  const health = `http://127.0.0.1:${settings.PORT ?? settings.WORKER_HEALTH_PORT}/health`;
  const start = async (): Promise<ServiceProcess> => {
    const process = scene.start(name, settings);
    await process.logged(started[name]);
    await until(async () => expect((await call(`${health}/ready`)).status).toBe(200));
    return process;
  };
  let current = await start();
  return {
    /** Whether the process was seen draining before it ended. */
    async replace(): Promise<boolean> {
      let hasEnded = false;
      const stopped = current.stop().finally(() => {
        hasEnded = true;
      });
      const wasDraining = await until(async () => {
        // A worker with nothing under way ends sooner than a busy machine lets this test ask it once.
        if (hasEnded) return false;
        const { status, body } = await call(`${health}/ready`);
        expect([status, body.status]).toEqual([503, 'draining']);
        return true;
      });
      expect(await stopped).toBe(0);
      current = await start();
      return wasDraining;
    },
  };
}

/** As in production: a balancer that a busy machine holds up for seconds still notices in time. */
const DRAIN_SECONDS = '5';
const shared = { ACCESS_TOKEN_LIFETIME_SECONDS: '3600', CALLER_WAIT_SECONDS: '15' };

/** In the order in which they are replaced: an API and a worker are always left. */
async function makePlaces([apiPort, servicePort]: readonly [number, number]) {
  const [api, worker] = [await scene.databaseUrlFor('api'), await scene.databaseUrlFor('worker')];
  return Promise.all([
    makePlace('api', { ...shared, DATABASE_URL: api, PORT: String(apiPort), DRAIN_SECONDS }),
    makePlace('worker', {
      ...shared,
      DATABASE_URL: worker,
      WORKER_HEALTH_PORT: String(await freePort()),
    }),
    makePlace('service', {
      ...shared,
      DATABASE_URL: api,
      WORKER_DATABASE_URL: worker,
      PORT: String(servicePort),
      DRAIN_SECONDS,
    }),
  ]);
}

/** Every client begins some more, so that each step of a story meets the process that is replaced. */
async function goOn({ log }: Stories): Promise<void> {
  const begun = log.operations.length;
  await until(() => expect(log.operations.length).toBeGreaterThan(begun + 2 * CLIENTS));
}

test('an API, a worker, and a service that is both are replaced one by one: callers notice nothing', async () => {
  const ports = [await freePort(), await freePort()] as const;
  const places = await makePlaces(ports);
  const front = await startBalancer(ports);
  balancer = front;
  await until(() => expect(ports.map(front.isReady)).toEqual([true, true]));
  const stack = scene.stackAt(front.port);
  const stories = await createStories(stack);
  const load = startLoad(stories, CLIENTS);

  const seenDraining: boolean[] = [];
  for (const place of places) {
    await goOn(stories);
    seenDraining.push(await place.replace());
  }
  await goOn(stories);
  await load.stop();

  expect(seenDraining).toContain(true);
  expect(front.broken).toEqual([]);
  const failed = stories.log.operations.flatMap(({ kind, answers }) =>
    answers
      .filter(({ status, body }) => status >= 500 && body.statusCode !== 5031)
      .map(({ status, body }) => ({ kind, status, message: body?.message })),
  );
  expect(failed).toEqual([]);
  expect([...front.answered.keys()].toSorted()).toEqual([...ports].toSorted());
  await expectAgreement(stack, stories);
}, 900_000);
