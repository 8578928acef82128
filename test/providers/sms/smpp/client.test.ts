import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import smpp, { type PDU, type Session } from 'smpp';
import { afterEach, describe, expect, it } from 'vitest';
import { createProviderGuard } from '../../../../src/providers/guard.ts';
import { type ProviderOutcome, unknown } from '../../../../src/providers/outcome.ts';
import { createFairSemaphore } from '../../../../src/runtime/process/fair-semaphore.ts';
import { startSandbox } from '../../../../src/sandbox/start-sandbox.ts';
import { openSsl } from '../../../support/openssl.ts';
import { until } from '../../../support/until.ts';
import { answering, type RawSmsc, senderAt, startRawSmsc, type TestSender } from './raw-smsc.ts';

const message = { to: '+251911234567', text: 'Hello' };
const delivered = { kind: 'delivered', providerReference: 'A1' };
const { ESME_RTHROTTLED, ESME_RINVPASWD } = smpp.errors;

const closing: { close(): Promise<void> }[] = [];
const kept = <Closing extends { close(): Promise<void> }>(one: Closing): Closing => {
  closing.push(one);
  return one;
};
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

async function scene(
  handle: (pdu: PDU, session: Session) => void,
  more: Parameters<typeof senderAt>[1] = {},
): Promise<{ smsc: RawSmsc; sender: TestSender }> {
  const smsc = kept(await startRawSmsc(handle));
  return { smsc, sender: kept(senderAt(smsc.port, more)) };
}

describe('a message', () => {
  it('asks for a receipt, and goes out over one session', async () => {
    const { smsc, sender } = await scene(answering(0), { sender: 'GIFTS' });
    const outcomes = await Promise.all([1, 2, 3].map(() => sender.send(message)));
    expect(outcomes).toEqual([delivered, delivered, delivered]);
    expect(smsc.sessions).toHaveLength(1);
    expect(smsc.pdus[0]).toMatchObject({ system_id: 'tester', interface_version: 0x34 });
    expect(smsc.submitted()[0]).toMatchObject({
      source_addr_ton: 5,
      source_addr: 'GIFTS',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '251911234567',
      registered_delivery: 1,
      data_coding: 0,
      short_message: { message: 'Hello' },
    });
  });

  it('that is of no use after a time tells the SMSC, which need not deliver it then', async () => {
    const { smsc, sender } = await scene(answering(0));
    const begin = Date.now();
    await sender.send({ ...message, validForSeconds: 299.2 });
    await sender.send(message);
    const [code, other] = smsc.submitted();
    // The library reads a relative time as a moment.
    expect(code?.validity_period).toBeInstanceOf(Date);
    const seconds = (Number(code?.validity_period) - begin) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(299);
    expect(seconds).toBeLessThan(360);
    expect(other?.validity_period).toBe('');
  });

  const texts: [name: string, text: string, coding: number, field: string][] = [
    ['160 characters of GSM 03.38', `${'é€'.repeat(53)}a`, 0, 'short_message'],
    ['161 of them', `${'é€'.repeat(53)}ab`, 0, 'message_payload'],
    ['70 characters of Amharic', 'ኮድ'.repeat(35), 8, 'short_message'],
    ['71 of them', `${'ኮድ'.repeat(35)}a`, 8, 'message_payload'],
    ['a letter that GSM 03.38 lacks', 'caña ç', 8, 'short_message'],
  ];
  it.each(texts)('of %s', async (_name, text, coding, field) => {
    const { smsc, sender } = await scene(answering(0));
    await sender.send({ ...message, text });
    const [pdu] = smsc.submitted();
    expect(pdu?.data_coding).toBe(coding);
    expect(pdu?.[field]).toMatchObject({ message: text });
    expect(smsc.submitted()).toHaveLength(1);
  });
});

describe('without an answer', () => {
  it('the outcome is unknown, and the message is not sent again', async () => {
    const { smsc, sender } = await scene(
      (pdu, session) => pdu.command === 'enquire_link' && session.send(pdu.response()),
      { timeoutMs: 1_000 },
    );
    expect(await sender.send(message)).toEqual({
      kind: 'unknown',
      message: 'The SMSC did not answer in time.',
    });
    // It showed that it lives: the session stays.
    await until(() => expect(smsc.pdus.map(({ command }) => command)).toContain('enquire_link'));
    expect(smsc.submitted()).toHaveLength(1);
    expect(smsc.sessions).toHaveLength(1);
  });

  it('a session that shows no sign of life ends, and the next message has a new one', async () => {
    let isHanging = true;
    const { smsc, sender } = await scene(
      (pdu, session) => isHanging || answering(0)(pdu, session),
      { timeoutMs: 1_000 },
    );
    expect(await sender.send(message)).toMatchObject({ kind: 'unknown' });
    await until(() => expect(sender.events).toContain('lost: The SMSC does not answer.'));
    isHanging = false;
    expect(await sender.send(message)).toEqual(delivered);
    expect(smsc.submitted()).toHaveLength(2);
    expect(smsc.sessions).toHaveLength(2);
  });

  it('the outcome is unknown where the connection ends', async () => {
    const { smsc, sender } = await scene((_pdu, session) => session.destroy());
    expect(await sender.send(message)).toEqual({
      kind: 'unknown',
      message: 'The SMSC closed the connection.',
    });
    expect(smsc.submitted()).toHaveLength(1);
  });

  it('signs of life are shown at intervals', async () => {
    const { smsc, sender } = await scene(answering(0), { enquireLinkMs: 10 });
    sender.open();
    await until(() => expect(smsc.pdus.length).toBeGreaterThan(3));
    expect(smsc.pdus[2]?.command).toBe('enquire_link');
  });
});

describe('data that cannot be read', () => {
  const broken: [name: string, octets: Buffer][] = [
    ['a PDU that is too long', Buffer.from('7fffffff000000000000000000000000', 'hex')],
    [
      'half a submit_sm',
      Buffer.concat([
        Buffer.from('00000014000000040000000000000001', 'hex'),
        Buffer.from('61626364'),
      ]),
    ],
  ];
  it.each(broken)('%s ends the session, not the process', async (_name, octets) => {
    const { smsc, sender } = await scene((pdu, session) => {
      if (smsc.submitted().length === 1) session.socket.write(octets);
      else answering(0)(pdu, session);
    });
    expect(await sender.send(message)).toMatchObject({ kind: 'unknown' });
    expect(await sender.send(message)).toEqual(delivered);
    expect(smsc.sessions).toHaveLength(2);
  });

  it('a command that is none is refused', async () => {
    const { smsc, sender } = await scene((pdu, session) => {
      if (!pdu.isResponse()) session.send(new smpp.PDU('query_sm', { message_id: '1' }));
      answering(0)(pdu, session);
    });
    expect(await sender.send(message)).toEqual(delivered);
    await until(() =>
      expect(smsc.pdus.at(-1)).toMatchObject({ command: 'query_sm_resp', command_status: 3 }),
    );
  });
});

describe('the window', () => {
  it('holds back what is beyond it, and gives up in time', async () => {
    const open: (() => void)[] = [];
    const { smsc, sender } = await scene(
      (pdu, session) => open.push(() => answering(0)(pdu, session)),
      { windowSize: 2, waitMs: 1_000 },
    );
    const first = [sender.send(message), sender.send(message)];
    await until(() => expect(smsc.submitted()).toHaveLength(2));
    expect(await sender.send(message)).toEqual({
      kind: 'not-sent',
      message: 'Too many messages are on their way.',
    });
    const waiting = sender.send(message);
    open.shift()?.();
    expect(await first[0]).toEqual(delivered);
    await until(() => expect(smsc.submitted()).toHaveLength(3));
    for (const answer of open) answer();
    expect(await Promise.all([...first, waiting])).toEqual([delivered, delivered, delivered]);
  });

  it('opens no circuit breaker where it is full: the SMSC works', async () => {
    const open: (() => void)[] = [];
    const { smsc, sender } = await scene(
      (pdu, session) => open.push(() => answering(0)(pdu, session)),
      { windowSize: 1, waitMs: 10 },
    );
    const places = createFairSemaphore({ places: 100, placesPerOwner: 100, waitMs: 60_000 });
    const limits = { deadlineMs: 60_000, breakerCalls: 10, breakerMs: 60_000 };
    const guard = createProviderGuard({ places, ...limits });
    const notSent = (why: string): ProviderOutcome => ({ kind: 'not-sent', message: why });
    const send = () => guard.run(() => sender.send(message), notSent, unknown);
    sender.open();
    await until(() => expect(sender.events).toEqual(['bound']));
    const first = send();
    await until(() => expect(smsc.submitted()).toHaveLength(1));
    const others = await Promise.all(Array.from({ length: 25 }, send));
    expect(others).toEqual(Array(25).fill(notSent('Too many messages are on their way.')));
    expect(guard.readState()).toBe('closed');
    open.shift()?.();
    expect(await first).toEqual(delivered);
  });

  it('an SMSC that is throttling gets no message in the pause', async () => {
    const { smsc, sender } = await scene(answering(ESME_RTHROTTLED ?? 0), {
      throttlePauseMs: 600_000,
    });
    expect(await sender.send(message)).toEqual({
      kind: 'not-sent',
      message: 'Too many messages: RTHROTTLED.',
      retryAfterSeconds: 600,
    });
    expect(await sender.send(message)).toMatchObject({ kind: 'not-sent' });
    expect(smsc.submitted()).toHaveLength(1);
  });
});

describe('connecting', () => {
  it('fails without a session, in growing pauses', async () => {
    const smsc = await startRawSmsc(answering(0));
    await smsc.close();
    const sender = kept(
      senderAt(smsc.port, { firstPauseMs: 30, longestPauseMs: 10_000, waitMs: 10 }),
    );
    const startedAt = Date.now();
    sender.open();
    await until(() => expect(sender.events.length).toBeGreaterThan(2));
    // 30 ms, then 60 ms.
    expect(Date.now() - startedAt).toBeGreaterThan(85);
    expect(await sender.send(message)).toEqual({
      kind: 'not-sent',
      message: 'The connection to the SMSC failed (ECONNREFUSED).',
      retryAfterSeconds: 1,
    });
  });

  it('starts again after the SMSC was killed', async () => {
    const { smsc, sender } = await scene(answering(0));
    expect(await sender.send(message)).toEqual(delivered);
    await smsc.close();
    await until(async () => expect(await sender.send(message)).toMatchObject({ kind: 'not-sent' }));
    const next = kept(await startRawSmsc(answering(0), { port: smsc.port }));
    await until(async () => expect(await sender.send(message)).toEqual(delivered));
    expect(next.submitted()).toHaveLength(1);
  });

  it('a refused bind says why, and no secret', async () => {
    const smsc = kept(await startRawSmsc(answering(0), { bindStatus: ESME_RINVPASWD ?? 0 }));
    const sender = kept(senderAt(smsc.port, { password: 'secret12' }));
    expect(await sender.send(message)).toMatchObject({
      kind: 'not-sent',
      message: 'The SMSC refused the bind: RINVPASWD.',
    });
    expect(sender.events.join()).not.toContain('secret12');
  });

  it('an SMSC that accepts the connection and is silent', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sender = kept(senderAt((server.address() as AddressInfo).port, { timeoutMs: 50 }));
    expect(await sender.send(message)).toMatchObject({
      kind: 'not-sent',
      message: 'The SMSC did not answer in time.',
    });
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('over TLS, with an authority that is trusted alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'smsc-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    openSsl([
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.1'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ]);
    const ca = await readFile(cert);
    const smsc = kept(
      await startRawSmsc(answering(0), { key: await readFile(key, 'utf8'), cert: String(ca) }),
    );
    const trusting = kept(senderAt(smsc.port, { tls: true, ca }));
    expect(await trusting.send(message)).toEqual(delivered);
    const careful = kept(senderAt(smsc.port, { tls: true }));
    expect(await careful.send(message)).toMatchObject({ kind: 'not-sent' });
    expect(smsc.submitted()).toHaveLength(1);
    await rm(folder, { recursive: true });
  });

  it('can be checked without a message', async () => {
    const { smsc, sender } = await scene(answering(0));
    expect(await sender.check()).toBeUndefined();
    expect(smsc.pdus.map(({ command }) => command)).toEqual(['bind_transceiver', 'enquire_link']);
    const refusing = kept(await startRawSmsc(answering(0), { bindStatus: ESME_RINVPASWD ?? 0 }));
    expect(await kept(senderAt(refusing.port)).check()).toBe(
      'The SMSC refused the bind: RINVPASWD.',
    );
  });

  it('ends its session after what is on its way, and sends nothing more', async () => {
    const open: (() => void)[] = [];
    const { smsc, sender } = await scene((pdu, session) =>
      open.push(() => answering(0)(pdu, session)),
    );
    const sending = sender.send(message);
    await until(() => expect(open).toHaveLength(1));
    const closed = sender.close();
    expect(await sender.send(message)).toMatchObject({ kind: 'not-sent' });
    open[0]?.();
    expect(await sending).toEqual(delivered);
    await closed;
    expect(smsc.pdus.at(-1)?.command).toBe('unbind');
    expect(smsc.submitted()).toHaveLength(1);
  });
});

describe('receipts', () => {
  const receiptOf = (id: string) =>
    new smpp.PDU('deliver_sm', {
      esm_class: 4,
      short_message: Buffer.from(
        `id:${id} sub:001 dlvrd:001 submit date:2611231200 done date:2611231201 stat:DELIVRD err:000 text:`,
      ),
    });

  it('are recorded, then acknowledged', async () => {
    const { smsc, sender } = await scene(answering(0));
    sender.open();
    await until(() => expect(smsc.sessions).toHaveLength(1));
    await until(() => expect(sender.events).toContain('bound'));
    smsc.sessions[0]?.send(receiptOf('a_1'));
    await until(() =>
      expect(smsc.pdus.at(-1)).toMatchObject({ command: 'deliver_sm_resp', command_status: 0 }),
    );
    expect(sender.reports).toEqual([
      { provider: 'smpp', reference: 'a_1', state: 'delivered', reason: null },
    ]);
  });

  it('are wanted again where they could not be recorded', async () => {
    const { smsc, sender } = await scene(answering(0), {
      record: () => Promise.reject(new Error('no database')),
    });
    sender.open();
    await until(() => expect(sender.events).toContain('bound'));
    smsc.sessions[0]?.send(receiptOf('a1'));
    await until(() =>
      expect(smsc.pdus.at(-1)).toMatchObject({ command: 'deliver_sm_resp', command_status: 0x64 }),
    );
    expect(sender.events).toContain('unrecorded: no database');
  });

  it.each([
    ['decimal-for-hex', '00AF', '175', 'AF'],
    ['decimal-for-hex', '00af', '0000000175', 'AF'],
    // Already as it was answered.
    ['decimal-for-hex', '00af', 'AF', 'AF'],
    ['hex-for-decimal', '175', 'AF', '175'],
    ['hex-for-decimal', '0175', '00af', '175'],
    ['same', 'AF', 'AF', 'AF'],
    ['same', 'af01', '0000AF01', 'AF01'],
    ['same', '0000000175', '175', '175'],
    ['same', '00', '0', '0'],
    ['same', '0b7a9c52-3d4e', '0B7A9C52-3D4E', '0B7A9C52-3D4E'],
    // Of other characters: these may be two ids.
    ['same', '00xY_1', '00xY_1', '00xY_1'],
  ] as const)('have ids in another notation: %s', async (receiptIds, answered, receipted, kept) => {
    const { smsc, sender } = await scene(answering(0, { message_id: answered }), { receiptIds });
    expect(await sender.send(message)).toEqual({ kind: 'delivered', providerReference: kept });
    smsc.sessions[0]?.send(receiptOf(receipted));
    await until(() => expect(sender.reports).toMatchObject([{ reference: kept }]));
  });

  it('wait at the sandbox until there is a session', async () => {
    // The receipt comes after seconds: the first session has ended by then.
    const sandbox = kept(await startSandbox({ port: 0, delayScale: 1 }));
    const port = Number(new URL(sandbox.smppUrl).port);
    const first = senderAt(port);
    expect(await first.send(message)).toMatchObject({ kind: 'delivered' });
    await first.close();
    expect(first.reports).toEqual([]);
    const second = kept(senderAt(port));
    second.open();
    await until(() => expect(second.reports).toMatchObject([{ state: 'delivered' }]));
  });
});
