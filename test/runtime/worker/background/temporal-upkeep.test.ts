import { randomBytes, randomUUID } from 'node:crypto';
import { connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import {
  connectTemporal,
  type TemporalConnection,
} from '../../../../src/runtime/temporal/connection.ts';
import { startTemporalUpkeep } from '../../../../src/runtime/worker/background/temporal-upkeep.ts';

/** gRPC's codes. */
const [INVALID_ARGUMENT, DEADLINE_EXCEEDED, FAILED_PRECONDITION, UNAVAILABLE] = [3, 4, 9, 14];

let proxy: Awaited<ReturnType<typeof startProxy>>;
let temporal: TemporalConnection;
let settings: Parameters<typeof startTemporalUpkeep>[1];

beforeEach(async () => {
  proxy = await startProxy(inject('temporalAddress'));
  temporal = await connectTemporal({
    address: proxy.address,
    namespace: 'default',
    payloadKeys: [{ id: 'k1', key: randomBytes(32) }],
  });
  settings = {
    temporal: { temporalTaskQueue: `test-${randomUUID()}`, temporalUpkeepSeconds: 3_600 },
    schedules: {
      expiryRunIntervalSeconds: 3_600,
      reconcileIntervalSeconds: 3_600,
      providerBalanceIntervalSeconds: 3_600,
    },
    market: { marketTimeZone: 'Africa/Addis_Ababa' },
  } as typeof settings;
});
afterEach(async () => {
  await temporal?.connection.close();
  await proxy?.stop();
});

const start = async () => {
  const upkeep = await startTemporalUpkeep(temporal, settings, pino({ enabled: false }));
  await upkeep.stop();
};

test.each([DEADLINE_EXCEEDED, FAILED_PRECONDITION, UNAVAILABLE])(
  'a worker that starts while Temporal is busy waits for it: code %i',
  async (code) => {
    // A second worker finds the Schedules of the first one, and reads them.
    await start();
    proxy.refuseOnce('DescribeSchedule', code);
    await start();
    expect(proxy.refused()).toBe(1);
  },
);

test('a worker does not start where Temporal refuses its settings', async () => {
  proxy.refuseOnce('CreateSchedule', INVALID_ARGUMENT);
  await expect(start()).rejects.toThrow('Failed to create schedule');
});

/** Stands before a Temporal server, and answers one call with an error of its own. */
async function startProxy(target: string) {
  const upstream = connect(`http://${target}`);
  let next: { readonly method: string; readonly code: number } | undefined;
  let refused = 0;
  const server: Http2Server = createServer();
  server.on('stream', (stream, headers) => {
    if (next && headers[':path']?.endsWith(`/${next.method}`)) {
      const status = { 'grpc-status': `${next.code}`, 'grpc-message': 'busy' };
      next = undefined;
      refused += 1;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status });
      stream.end();
      return;
    }
    const call = upstream.request({ ...headers, ':authority': target });
    stream.pipe(call);
    call.on('response', (answer) => {
      const isOnlyHeaders = 'grpc-status' in answer;
      stream.respond(answer, { waitForTrailers: !isOnlyHeaders });
      call.pipe(stream);
    });
    let trailers = {};
    call.on('trailers', (received) => {
      trailers = received;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    for (const one of [call, stream]) one.on('error', () => stream.close());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuseOnce(method: string, code: number) {
      next = { method, code };
    },
    refused: () => refused,
    async stop() {
      upstream.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
