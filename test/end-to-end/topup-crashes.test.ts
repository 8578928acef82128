import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { findBrokenInvariants } from '../../src/db/invariants.js';
import { call, type PartnerClient, partnerClient } from '../support/clients.js';
import { makePartner } from '../support/companies.js';
import { depositAirtime, makeTopupProducts } from '../support/topups.js';
import type { ServiceProcess } from './child-process.js';
import { type ProcessScene, setProcessScene } from './process-scene.js';

/** The worker is killed at every step of a top-up, and another one takes over. */
let scene: ProcessScene;
let asPartner: PartnerClient;

beforeAll(async () => {
  scene = await setProcessScene();
  await scene.start('migrate').ended;
  scene.start('sandbox');
  const api = scene.start('api');
  const { port } = await api.logged('API is listening');
  const stack = scene.stackAt(port);
  const partner = await makePartner(stack);
  await makeTopupProducts(stack, partner);
  await depositAirtime(stack, partner.id, '1000');
  asPartner = await partnerClient(stack, partner);
});
afterAll(() => scene?.stop());

const walletBalance = async (): Promise<number> =>
  (await asPartner.get('/info/get-current-balance')).body.data.walletBalance;

const show = async (transactionId: number) =>
  (await asPartner.get(`/topup-transactions/${transactionId}`)).body.data;

async function startWorker(failpoint?: string): Promise<ServiceProcess> {
  const worker = scene.start('worker', failpoint ? { FAILPOINT: failpoint } : {});
  await worker.logged('Worker is running');
  return worker;
}

let numbers = 0;
const cases = [
  ['topup-held', '000', 'SUCCESS', 50, 1] as const,
  ['topup-sent', '000', 'SUCCESS', 50, 1] as const,
  ['topup-sent', '006', 'FAILED', 0, 0] as const,
];

it.each(cases)(
  'killed at %s, number x%s: it ends %s, charged %i, delivered %i times',
  async (failpoint, suffix, state, charged, deliveries) => {
    numbers += 1;
    const msisdn = `+25194${String(numbers).padStart(4, '0')}${suffix}`;
    const before = await walletBalance();
    const doomed = await startWorker(failpoint);
    const answer = asPartner.post('/topup-transactions/airtime-topup', {
      amount: 50,
      msisdn,
      exchangeRate: 57.2,
      currency: 'USD',
      originatingCountry: 'US',
    });
    expect(await doomed.ended).toBe('SIGKILL');
    const heir = await startWorker();
    // Either it ended in time, or the caller was told the number under which it goes on.
    const { transactionId } = (await answer).body.data;
    await vi.waitFor(async () => expect((await show(transactionId)).status).toBe(state), {
      timeout: 20_000,
      interval: 100,
    });
    expect(await walletBalance()).toBe(before - charged);
    const { body } = await call(`${scene.sandboxUrl}/books?to=${encodeURIComponent(msisdn)}`);
    const done = body.topups.filter((row: { status: string }) => row.status === 'completed');
    expect(done).toHaveLength(deliveries);
    expect(await findBrokenInvariants(scene.database)).toEqual([]);
    await heir.stop();
  },
  60_000,
);
