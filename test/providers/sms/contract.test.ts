import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SmsProviderName } from '../../../src/domain/providers.ts';
import { createAfricasTalking } from '../../../src/providers/sms/africas-talking.ts';
import type { SmsSender } from '../../../src/providers/sms/sms-sender.ts';
import { faultSchema } from '../../../src/sandbox/faults.ts';
import { suffixRows } from '../../../src/sandbox/scenarios.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { until } from '../../support/until.ts';
import { senderAt } from './smpp/raw-smsc.ts';

/** A sender at the sandbox, and what it is told about its messages afterwards. */
interface Contestant {
  readonly sender: SmsSender;
  /** The states that were reported of a message, in their order. */
  reportsOf(reference: string): string[];
  close(): Promise<void>;
}

/**
 * Every adapter for messages: the compiler demands each. A short limit is only for a call that waits for it: a
 * machine may hold up an answer for as long.
 */
const contestants: Readonly<
  Record<SmsProviderName, (sandbox: Sandbox, timeoutSeconds: number) => Promise<Contestant>>
> = {
  async 'africas-talking'(sandbox, timeoutSeconds) {
    const reports: URLSearchParams[] = [];
    const server = createServer(async (request, response) => {
      reports.push(new URLSearchParams((await request.toArray()).join('')));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    sandbox.postSmsReportsTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const words: Readonly<Record<string, string>> = {
      Success: 'delivered',
      Failed: 'not-delivered',
    };
    return {
      sender: createAfricasTalking({
        baseUrl: sandbox.smsUrl,
        username: 'sandbox',
        apiKey: 'key',
        timeoutSeconds,
      }),
      reportsOf: (reference) =>
        reports
          .filter((report) => report.get('id') === reference)
          .flatMap((report) => words[report.get('status') ?? ''] ?? []),
      async close() {
        server.close();
        server.closeAllConnections();
      },
    };
  },
  async smpp(sandbox, timeoutSeconds) {
    const sender = senderAt(Number(new URL(sandbox.smppUrl).port), {
      throttlePauseMs: 50,
      timeoutMs: timeoutSeconds * 1_000,
    });
    return {
      sender,
      reportsOf: (reference) =>
        sender.reports.filter((report) => report.reference === reference).map(({ state }) => state),
      close: sender.close,
    };
  },
};

/** What each suffix comes to, the phone, and the reports; by adapter where their protocols differ. */
const REFUSED = { kind: 'refused', phone: 0, reports: [] };
const SENT = { kind: 'delivered', phone: 1, reports: ['delivered'] };
const NOT_SENT = { kind: 'not-sent', phone: 0, reports: [] };
const expected: Readonly<Record<string, object>> = {
  '02': REFUSED,
  '03': REFUSED,
  '04': REFUSED,
  '06': REFUSED,
  '07': { ...REFUSED, smpp: { kind: 'unknown', phone: 0, reports: [] } },
  '08': { kind: 'unknown', phone: 1 },
  '09': { kind: 'unknown', phone: 1 },
  '11': { ...SENT, reports: ['delivered', 'delivered'] },
  '12': { ...SENT, reports: [] },
  '15': { ...SENT, phone: 0, reports: ['not-delivered'] },
  '16': NOT_SENT,
  '18': NOT_SENT,
  '19': REFUSED,
};

describe.each(Object.keys(contestants) as SmsProviderName[])('%s', (adapter) => {
  let sandbox: Sandbox;
  let contestant: Contestant;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, delayScale: 0.001 });
    contestant = await contestants[adapter](sandbox, 60);
  });
  afterAll(async () => {
    await contestant.close();
    await sandbox.close();
  });

  const rows = suffixRows.flatMap(({ suffix }) => [`0${suffix}`, `1${suffix}`]);
  it.each(rows)('agrees with the phone about a number that ends in %s', async (suffix) => {
    const to = `+251911000${suffix}`;
    const text = `ኮድ 123456 for ${suffix}`;
    const outcome = await until(async () => {
      const found = await contestant.sender.send({ to, text });
      // The pause after a number that was throttled, or a session that was dropped.
      const isOwn = found.kind !== 'not-sent' || ['16', '18'].includes(suffix.slice(1));
      if (!isOwn) throw new Error(found.message);
      return found;
    });
    const row = { ...SENT, ...expected[suffix.slice(1)] } as typeof SENT &
      Record<SmsProviderName, object>;
    const { kind, phone, reports } = { ...row, ...row[adapter] };
    expect(outcome.kind).toBe(kind);
    expect(sandbox.books.messages(to).map((message) => message.text)).toEqual(
      Array(phone).fill(text),
    );
    if (outcome.kind !== 'delivered') return;
    expect(outcome.providerReference).not.toBe('');
    await until(() => expect(contestant.reportsOf(outcome.providerReference)).toEqual(reports));
  });

  const faults: [fault: object, kinds: string[], phone: number][] = [
    [{ down: true }, ['not-sent', 'unknown'], 0],
    [{ dropsAnswers: true }, ['unknown'], 1],
    [{ answers: 'not-authorised' }, ['not-sent'], 0],
    [{ answers: 'too-many-requests' }, ['not-sent'], 0],
    [{ answers: 'unavailable' }, ['unknown'], 0],
    [{ answers: 'garbage' }, ['unknown'], 1],
    [{ answers: 'other-types' }, ['unknown'], 1],
    [{ answers: 'empty' }, ['unknown'], 1],
    [{ answers: 'redirect' }, ['unknown'], 1],
    [{ answers: 'html' }, ['unknown'], 1],
    [{ answers: 'huge' }, ['unknown'], 1],
    [{ answers: 'slow-drip' }, ['unknown'], 1],
    [{ slowSeconds: 3 }, ['unknown'], 0],
  ];
  it.each(faults)('under the fault %j', async (fault, kinds, phone) => {
    const to = `+2519${String(Math.random()).slice(2, 8)}77`;
    await until(async () =>
      expect(await contestant.sender.send({ to: '+251911000077', text: 'x' })).toMatchObject({
        kind: 'delivered',
      }),
    );
    // An answer that is unknown may be one that never ends.
    const asked = kinds.includes('unknown') ? await contestants[adapter](sandbox, 1) : contestant;
    sandbox.faults.set(adapter, faultSchema.parse(fault));
    const { kind } = await asked.sender.send({ to, text: 'once' });
    sandbox.faults.clear();
    if (asked !== contestant) await asked.close();
    expect(kinds).toContain(kind);
    expect(sandbox.books.messages(to)).toHaveLength(phone);
  });
});
