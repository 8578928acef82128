import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/local/processes.ts';
import type { FailpointName } from '../../../src/runtime/process/failpoint.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { invitationsOn } from '../../pages/portal/invitation-scene.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { createCanary, secretsInDatabase, secretsInHistories } from './canary.ts';
import { type ProcessScene, setProcessScene } from './process-scene.ts';

/** Invitations while the processes die: one story, each test takes up where the one before ended. */
let processes: ProcessScene;
let scene: ReturnType<typeof invitationsOn>;
let service: ServiceProcess;
let port: string;
const canary = createCanary();

beforeAll(async () => {
  processes = await setProcessScene();
  port = String(await freePort());
  processes.start('sandbox');
  expect(await processes.start('migrate').ended).toBe(0);
  await until(() => call(`${processes.sandboxUrl}/books`));
  scene = invitationsOn(processes.stackAt(port));
});
afterAll(() => processes?.stop());

const start = async (failpoint?: FailpointName) => {
  service = processes.start('service', {
    PORT: port,
    WORKER_PICKUP_SECONDS: '0.1',
    ...(failpoint ? { FAILPOINT: `${failpoint}:kill` } : {}),
  });
  // One that is to die may do so before it says that it is running.
  if (!failpoint) await service.logged('Service is running');
};

test('one that is written while nothing runs is sent when there is a worker', async () => {
  const { id, email } = await scene.newMerchant();
  const invitationId = await scene.invite(id);
  expect((await scene.invitationRow(invitationId)).status).toBe('REQUESTED');
  await start();
  const path = await scene.mailedPath(email);
  canary.add('token', path.split('/').at(-1) ?? '');
  expect((await scene.activate(path)).answer.status).toBe(303);
  await scene.untilStatus(invitationId, 'USED');
  await service.stop();
});

type Invited = Awaited<ReturnType<typeof scene.newMerchant>> & { readonly invitationId: string };
const cutOff: Invited[] = [];

test.each(['outbox-read', 'outbox-sending', 'outbox-sent', 'outbox-recorded'] as const)(
  'the worker dies at %s',
  async (failpoint) => {
    const merchant = await scene.newMerchant();
    cutOff.push({ ...merchant, invitationId: await scene.invite(merchant.id) });
    await start(failpoint);
    expect(await service.ended).toBe('SIGKILL');
  },
);

test('the next worker takes up all that was cut off: each link arrives, by each way in one message', async () => {
  await start();
  for (const { id, email, phone, invitationId } of cutOff) {
    // Cut off in the middle, a text may be lost; the e-mail then comes again, known as the same.
    await until(async () => {
      const [listed] = await scene.operator.json(`merchant list-invitations ${id}`);
      expect(['SENT', 'UNKNOWN']).toContain(listed.sms);
      expect(['SENT', 'UNKNOWN']).toContain(listed.mail);
    });
    const messages = [...(await scene.mails(email)), ...(await scene.texts(phone))];
    expect(new Set((await scene.mails(email)).map(({ messageId }) => messageId)).size).toBe(1);
    expect((await scene.texts(phone)).length).toBeLessThanOrEqual(1);
    const tokens = messages.map(({ text }) => scene.tokenIn(text) ?? '');
    expect(new Set(tokens).size).toBe(1);
    canary.add('token', ...tokens);
    const { answer } = await scene.activate(`/portal/activate/${tokens[0]}`);
    expect(answer.status).toBe(303);
    await scene.untilStatus(invitationId, 'USED');
  }
  await service.stop();
});

test('no token is in the output, the database or a history', async () => {
  expect(processes.output()).toContain('"route":"/portal/activate/:token"');
  expect(canary.foundIn(processes.output())).toEqual([]);
  expect(await secretsInDatabase(processes.database, canary)).toEqual([]);
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_TASK_QUEUE: taskQueue = '' } =
    processes.settings;
  const { found } = await secretsInHistories({ address, taskQueue }, canary);
  expect(found).toEqual([]);
});
