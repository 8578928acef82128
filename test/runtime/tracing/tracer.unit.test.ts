import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import { afterEach, describe, expect, it, test } from 'vitest';
import { callHttp } from '../../../src/providers/http-call.ts';
import {
  createOtlpExporter,
  createTracer,
  type FinishedSpan,
  readTraceparent,
  samplerOf,
} from '../../../src/runtime/tracing/tracer.ts';
import { switchTracing } from '../../../src/runtime/tracing/tracing.ts';
import { startOtlpReceiver } from './otlp-receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

afterEach(() => switchTracing(undefined));

describe('readTraceparent', () => {
  it('reads what W3C Trace Context allows', () => {
    const context = { traceId: TRACE, spanId: SPAN, isSampled: true };
    expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual(context);
    expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...context, isSampled: false });
    expect(readTraceparent(`01-${TRACE}-${SPAN}-01-more`)).toEqual(context);
  });

  it.each([
    undefined,
    '',
    'x',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
  ])('ignores %s', (header) => expect(readTraceparent(header)).toBeUndefined());
});

function traces(options: Partial<Parameters<typeof createTracer>[0]> = {}) {
  const finished: FinishedSpan[] = [];
  const tracer = createTracer({
    sampler: samplerOf('parentbased_always_on', 1),
    finish: (span) => finished.push(span),
    ...options,
  });
  return { tracer, finished };
}

test('spans lie in one another, and one that throws is failed by the kind of its error', async () => {
  const { tracer, finished } = traces();
  await expect(
    tracer.inSpan({ name: 'outer', kind: 'server' }, () =>
      tracer.inSpan({ name: 'inner', kind: 'client' }, async () => {
        throw new TypeError('secret');
      }),
    ),
  ).rejects.toThrow('secret');
  const [inner, outer] = finished;
  expect(inner).toMatchObject({ parentSpanId: outer?.spanId, failure: 'TypeError' });
  expect(inner?.traceId).toBe(outer?.traceId);
  expect(JSON.stringify(finished)).not.toContain('secret');
});

test("the caller's decision counts where the sampler is based on it, and else not", async () => {
  const parent = `00-${TRACE}-${SPAN}-01`;
  const span = { name: 'request', kind: 'server', parent } as const;
  const following = traces({ sampler: samplerOf('parentbased_traceidratio', 0) });
  await following.tracer.inSpan(span, async () => {});
  expect(following.finished).toMatchObject([{ traceId: TRACE, parentSpanId: SPAN }]);
  const own = traces({ sampler: samplerOf('traceidratio', 0) });
  const outgoing = await own.tracer.inSpan(span, async () => own.tracer.current());
  expect(own.finished).toEqual([]);
  expect(outgoing).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  const half = samplerOf('traceidratio', 0.5);
  expect([half(`${'0'.repeat(31)}1`, undefined), half('f'.repeat(32), undefined)]).toEqual([
    true,
    false,
  ]);
});

test('a provider gets the trace and nothing else, where there are traces', async () => {
  const received: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const call = () =>
    callHttp({ method: 'GET', url, headers: {}, deadline: AbortSignal.timeout(20_000) });
  const { tracer } = traces();
  switchTracing(tracer);
  await tracer.inSpan({ name: 'call', kind: 'client' }, call);
  switchTracing(undefined);
  await call();
  server.closeAllConnections();
  server.close();
  expect(received.map(({ traceparent }) => typeof traceparent)).toEqual(['string', 'undefined']);
  for (const headers of received) {
    expect(headers).not.toHaveProperty('baggage');
    expect(headers).not.toHaveProperty('tracestate');
  }
});

test('a collector that fails or hangs costs spans and one warning, nothing else', async () => {
  const receiver = await startOtlpReceiver();
  receiver.answer(503);
  const warnings: { dropped: number; reason: string }[] = [];
  const exporter = createOtlpExporter({
    url: `${receiver.endpoint}/v1/traces`,
    headers: {},
    resource: {},
    delayMs: 60_000,
    warn: (what) => warnings.push(what),
  });
  const { tracer } = traces({ finish: exporter.add });
  for (let count = 0; count < 3_000; count += 1)
    await tracer.inSpan({ name: 'span', kind: 'client' }, async () => {});
  await exporter.stop();
  await receiver.close();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.reason).toMatch(/^status 503$|^too many spans wait$/);
  expect(receiver.spans()).toEqual([]);
});

test('a collector that hangs does not keep a process from its end', async () => {
  const asked: unknown[] = [];
  const warnings: unknown[] = [];
  const hanging = createServer((request) => asked.push(request.resume())).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const exporter = createOtlpExporter({
    url: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
    headers: {},
    resource: {},
    delayMs: 60_000,
    stopMs: 100,
    warn: (what) => warnings.push(what),
  });
  const { tracer } = traces({ finish: exporter.add });
  for (let count = 0; count < 1_000; count += 1)
    await tracer.inSpan({ name: 'span', kind: 'client' }, async () => {});
  await exporter.stop();
  // All but the batch that the collector has.
  expect(warnings).toEqual([{ dropped: 1_000 - 512, reason: 'the process ends' }]);
  // The second batch would begin when the first one is given up.
  expect(asked.length).toBeLessThan(2);
  hanging.closeAllConnections();
  hanging.close();
}, 60_000);

test('while traces are off nothing of them is loaded: only the switch is imported', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('tracing/'),
  );
  const imports = files.flatMap((name) =>
    [...readFileSync(`src/${name}`, 'utf8').matchAll(/^(?:import|export) .*'(\.[^']+)';/gm)].map(
      ([, from = '']) => posix.join('src', posix.dirname(name), from),
    ),
  );
  const ofTraces = imports.filter((file) => file.startsWith('src/runtime/tracing/'));
  // The names of samplers, for the settings, and the question whether traces are on.
  expect([...new Set(ofTraces)].toSorted()).toEqual([
    'src/runtime/tracing/tracer.ts',
    'src/runtime/tracing/tracing.ts',
  ]);
});
