import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { partnerClient } from '../../support/clients.ts';
import { CLAIM, GENERATE, type GiftScene, REDEEM, setGiftScene } from '../gift/gift-scene.ts';

let scene: GiftScene;
let server: Server;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  scene = await setGiftScene();
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const services = { ...scene.stack.api.services, logger };
  server = createApp(services, [partnerRoutes], []).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await scene?.stop();
});

it('one line names the request, the operation and the workflow, and no secret', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = await partnerClient({ ...scene.stack, url }, scene.partner);
  const generated = await client.post(GENERATE, {
    denominationId: scene.partner.denominations[100],
    merchantId: scene.merchant.id,
    msisdn: null,
    isRestricted: true,
  });
  const { voucherCode } = generated.body.data.voucher;
  const redeemed = await client.post(REDEEM, { voucherCode });
  expect((await client.post(CLAIM, { voucherCode })).status).toBeGreaterThanOrEqual(400);
  for (const { headers } of [generated, redeemed]) {
    const line = lines.find(({ requestId }) => requestId === headers.get('x-request-id'));
    expect(line).toMatchObject({
      msg: 'request',
      companyId: scene.partner.id,
      operationId: expect.stringMatching(/^\w{16,}$/),
      status: 200,
      milliseconds: expect.any(Number),
    });
    const { client: temporal } = scene.stack.temporal;
    const workflow = await temporal.workflow.getHandle(String(line?.workflowId)).describe();
    expect(workflow.type).toMatch(/^(generateVoucher|redeemVoucher)$/);
  }
  expect(lines.at(-1)).toMatchObject({ reason: 'voucher-redeemed' });
  for (const secret of [voucherCode, voucherCode.replaceAll('-', ''), client.token])
    expect(JSON.stringify(lines)).not.toContain(secret);
});
