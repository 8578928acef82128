import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import smpp, { type PDU, type Session } from 'smpp';
import type { DeliveryReport } from '../../../../src/domain/vouchers/messages.ts';
import {
  createSmpp,
  type SmppSender,
  type SmppSettings,
} from '../../../../src/providers/sms/smpp/client.ts';

export interface RawSmsc {
  readonly port: number;
  readonly sessions: Session[];
  /** Every PDU that came, in order. */
  readonly pdus: PDU[];
  /** Every submit_sm, in order. */
  submitted(): PDU[];
  close(): Promise<void>;
}

/** An SMSC that accepts every bind, and does with other PDUs whatever a test wants. */
export async function startRawSmsc(
  handle: (pdu: PDU, session: Session) => void,
  options: { port?: number; key?: string; cert?: string; bindStatus?: number } = {},
): Promise<RawSmsc> {
  const { port = 0, bindStatus = 0, ...tls } = options;
  const sessions: Session[] = [];
  const pdus: PDU[] = [];
  const server = smpp.createServer(tls, (session) => {
    sessions.push(session);
    session.on('error', () => session.destroy());
    session.on('pdu', (pdu: PDU) => {
      pdus.push(pdu);
      if (pdu.command === 'bind_transceiver')
        session.send(pdu.response({ command_status: bindStatus, system_id: 'RAW' }));
      else if (pdu.command === 'unbind') {
        session.send(pdu.response());
        session.close();
      } else handle(pdu, session);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sessions,
    pdus,
    submitted: () => pdus.filter(({ command }) => command === 'submit_sm'),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/** Answers submit_sm with this status and id, and other requests as an SMSC does. */
export const answering =
  (command_status: number, fields: object = { message_id: 'A1' }) =>
  (pdu: PDU, session: Session): void => {
    if (pdu.isResponse()) return;
    const status = pdu.command === 'submit_sm' ? { command_status, ...fields } : {};
    session.send(pdu.response(status));
  };

export interface TestSender extends SmppSender {
  readonly reports: DeliveryReport[];
  readonly events: string[];
}

/**
 * The adapter with short pauses; it collects what it is told. Its limits are long, because a machine may
 * hold up an answer.
 */
export function senderAt(
  port: number,
  more: Partial<SmppSettings> & { record?: (report: DeliveryReport) => Promise<void> } = {},
): TestSender {
  const reports: DeliveryReport[] = [];
  const events: string[] = [];
  const { record, ...settings } = more;
  const sender = createSmpp(
    {
      host: '127.0.0.1',
      port,
      tls: false,
      systemId: 'tester',
      password: 'sandbox1',
      systemType: '',
      timeoutMs: 60_000,
      waitMs: 60_000,
      enquireLinkMs: 60_000,
      windowSize: 10,
      throttlePauseMs: 1_000,
      firstPauseMs: 20,
      longestPauseMs: 200,
      receiptIds: 'same',
      ...settings,
    },
    {
      record:
        record ??
        (async (report) => {
          reports.push(report);
        }),
      note: (event, reason) => events.push(reason === undefined ? event : `${event}: ${reason}`),
    },
  );
  return { ...sender, reports, events };
}
