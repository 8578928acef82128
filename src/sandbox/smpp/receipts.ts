import smpp, { type PDU, type Session } from 'smpp';
import type { Waiting } from '../delays.ts';
import type { ReportState } from '../delivery-reports.ts';
import { shortlySeconds } from '../scenarios.ts';
import type { SentReceipt } from './take-message.ts';

/** Time that a receiver has to answer a receipt. */
const ANSWER_MS = 5_000;

const words: Readonly<Record<ReportState, { stat: string; state: number; err: string }>> = {
  delivered: { stat: 'DELIVRD', state: 2, err: '000' },
  'not-delivered': { stat: 'UNDELIV', state: 5, err: '011' },
  'under-way': { stat: 'ENROUTE', state: 1, err: '000' },
};

/**
 * The delivery receipts: each goes to a session of its account, and waits where there is none. A receipt
 * that is not acknowledged is sent again.
 */
export function createReceipts(waiting: Waiting) {
  const accounts = new Map<Session, string>();
  const stored = new Map<string, SentReceipt[]>();
  const answers = new Map<Session, Map<number, (isTaken: boolean) => void>>();

  async function send(systemId: string, receipt: SentReceipt): Promise<void> {
    const [session] = [...accounts].find(([, id]) => id === systemId) ?? [];
    if (!session) {
      stored.set(systemId, [...(stored.get(systemId) ?? []), receipt]);
      return;
    }
    if (await deliver(session, receipt)) return;
    await waiting.wait(shortlySeconds);
    if (!waiting.ending.aborted) await send(systemId, receipt);
  }

  function deliver(session: Session, receipt: SentReceipt): Promise<boolean> {
    const pdu = new smpp.PDU('deliver_sm', parametersOf(receipt));
    return new Promise((resolve) => {
      if (!session.send(pdu)) return resolve(false);
      const timer = setTimeout(() => settled(false), ANSWER_MS);
      const settled = (isTaken: boolean) => {
        clearTimeout(timer);
        answers.get(session)?.delete(pdu.sequence_number);
        resolve(isTaken);
      };
      answers.get(session)?.set(pdu.sequence_number, settled);
    });
  }

  return {
    send,
    systemIdOf: (session: Session) => accounts.get(session),
    /** A bound session; what is stored for its account is sent. */
    join(session: Session, systemId: string) {
      accounts.set(session, systemId);
      answers.set(session, new Map());
      const waitingReceipts = stored.get(systemId) ?? [];
      stored.delete(systemId);
      for (const receipt of waitingReceipts) void send(systemId, receipt);
    },
    leave(session: Session) {
      accounts.delete(session);
      for (const settled of [...(answers.get(session)?.values() ?? [])]) settled(false);
      answers.delete(session);
    },
    /** The answer of a receiver. */
    settle: (session: Session, { sequence_number, command_status }: PDU) =>
      answers.get(session)?.get(sequence_number)?.(command_status === 0),
  };
}

function parametersOf({ id, from, to, state }: SentReceipt) {
  const { stat, state: message_state, err } = words[state];
  const now = new Date().toISOString().replace(/\D/g, '').slice(2, 12);
  const delivered = state === 'delivered' ? '001' : '000';
  return {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: from,
    destination_addr: to,
    esm_class: 4,
    data_coding: 0,
    short_message: Buffer.from(
      `id:${id} sub:001 dlvrd:${delivered} submit date:${now} done date:${now} stat:${stat} err:${err} text:`,
    ),
    receipted_message_id: id,
    message_state,
  };
}
