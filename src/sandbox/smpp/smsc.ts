import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import smpp, { type PDU, type Session } from 'smpp';
import type { ProviderFault } from '../faults/provider-faults.ts';
import { createReceipts } from './receipts.ts';
import { type SmscParts, takeMessage } from './take-message.ts';

/** The password of every account of the sandbox's SMSC; SMPP allows eight characters. */
export const smscPassword = 'sandbox1';

export interface Smsc {
  readonly port: number;
  close(): Promise<void>;
}

const { ESME_ROK, ESME_RINVPASWD, ESME_RINVSYSID, ESME_RINVBNDSTS, ESME_RINVCMDID } = smpp.errors;

/**
 * Starts a short message service centre that speaks SMPP 3.4 without encryption: any system id, one
 * password. Messages arrive at the sandbox's phone. Rejects where the port is taken (EADDRINUSE).
 */
export async function startSmsc(
  parts: SmscParts,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Smsc> {
  const sessions = new Set<Session>();
  const receipts = createReceipts(parts.waiting);
  const server = smpp.createServer({}, (session) => {
    sessions.add(session);
    const isDown = () => parts.faults.of('smpp').down;
    const end = () => {
      sessions.delete(session);
      receipts.leave(session);
      session.destroy();
    };
    // A client that disconnects is no error of the sandbox.
    session.on('error', end);
    session.on('close', end);
    session.on('pdu', (pdu: PDU) => {
      if (isDown()) end();
      else if (pdu.isResponse()) receipts.settle(session, pdu);
      else answer(session, pdu).catch(end);
    });
  });

  async function answer(session: Session, pdu: PDU): Promise<void> {
    const reply = (command_status = ESME_ROK, fields: object = {}) =>
      session.send(pdu.response({ command_status, ...fields }));
    switch (pdu.command) {
      case 'bind_transceiver':
      case 'bind_transmitter':
      case 'bind_receiver': {
        const status = statusOfBind(pdu, parts.faults.of('smpp'));
        reply(status, { system_id: 'SANDBOX' });
        if (status === ESME_ROK && pdu.command !== 'bind_transmitter')
          receipts.join(session, String(pdu.system_id));
        else if (status !== ESME_ROK) session.close();
        return;
      }
      case 'submit_sm': {
        const systemId = receipts.systemIdOf(session);
        if (systemId === undefined) return void reply(ESME_RINVBNDSTS);
        const taken = await takeMessage(pdu, parts, (receipt) => receipts.send(systemId, receipt));
        if (taken === 'silence') return;
        if (taken === 'dropped') return session.destroy();
        if ('octets' in taken) return void session.socket.write(taken.octets, 'latin1');
        return void reply(taken.status, taken.id === undefined ? {} : { message_id: taken.id });
      }
      case 'unbind':
        reply();
        return session.close();
      default:
        reply(pdu.command === 'enquire_link' ? ESME_ROK : ESME_RINVCMDID);
    }
  }

  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

function statusOfBind(
  { system_id, password }: PDU,
  { answers }: ProviderFault,
): number | undefined {
  if (answers === 'not-authorised') return ESME_RINVPASWD;
  if (!system_id) return ESME_RINVSYSID;
  return password === smscPassword ? ESME_ROK : ESME_RINVPASWD;
}
