import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import smpp, { type PDU, type Session } from 'smpp';
import { listen } from '../runtime/process/health.ts';
import { announceReports, type CommonParts, type ReportState, type Waiting } from './callbacks.ts';
import type { ProviderFault } from './faults.ts';
import { canonicalNumber, E164 } from './requests.ts';
import { delaySecondsOf, type SmsBehaviour, shortlySeconds, smsBehaviour } from './scenarios.ts';

interface SentReceipt {
  readonly id: string;
  /** The number of the phone, without a plus sign. */
  readonly from: string;
  readonly to: string;
  readonly state: ReportState;
}

/** The answer to a message; `octets` are no PDU, and `silence` is none. */
type Taken =
  | { readonly status: number | undefined; readonly id?: string }
  | { readonly octets: string }
  | 'dropped'
  | 'silence';

/** The choice of a tester for every message: answers without taking it, and after taking it. */
const unread: Partial<Record<ProviderFault['answers'], string>> = {
  'not-authorised': 'ESME_RINVBNDSTS',
  'too-many-requests': 'ESME_RTHROTTLED',
  unavailable: 'ESME_RSYSERR',
};
const garbled: Partial<Record<ProviderFault['answers'], Taken>> = {
  garbage: { octets: '\u0000\u0000\u0000\u0014\u0000' },
  'other-types': { octets: '\u0000\u0000\u0000\u0011' },
  empty: { octets: '\u0000\u0000\u0000\u0000' },
  redirect: { octets: 'HTTP/1.1 307 Temporary Redirect' },
  html: { octets: '<!doctype html><h1>We are improving for you</h1>' },
  huge: { octets: '\u0000\u0050\u0000\u0000' },
  'slow-drip': 'silence',
};

/** The command_status of each behaviour. */
const statuses: Readonly<Record<SmsBehaviour['answer'], string>> = {
  queued: 'ESME_ROK',
  'invalid-number': 'ESME_RINVDSTADR',
  blacklisted: 'ESME_RPROHIBITED',
  'gateway-error': 'ESME_RSUBMITFAIL',
  rejected: 'ESME_RX_R_APPN',
  'internal-error': 'ESME_RSYSERR',
  'no-recipients': 'ESME_RINVSRCADR',
  'connection-dropped': 'ESME_ROK',
  unavailable: 'ESME_RSYSERR',
  'too-many-requests': 'ESME_RTHROTTLED',
  'not-authorised': 'ESME_RINVBNDSTS',
};

/** Takes a message as its number demands, and sends its receipts if they were asked for. */
async function takeMessage(
  pdu: PDU,
  parts: CommonParts,
  sendReceipt: (receipt: SentReceipt) => Promise<void>,
): Promise<Taken> {
  const fault = parts.faults.of('smpp');
  await parts.waiting.pause(fault.slowSeconds);
  const refusal = unread[fault.answers];
  if (refusal !== undefined) return { status: smpp.errors[refusal] };
  const taken = await takeByNumber(pdu, parts, (receipt) =>
    fault.losesCallbacks ? Promise.resolve() : sendReceipt(receipt),
  );
  return fault.dropsAnswers ? 'dropped' : (garbled[fault.answers] ?? taken);
}

async function takeByNumber(
  pdu: PDU,
  { books, waiting }: CommonParts,
  sendReceipt: (receipt: SentReceipt) => Promise<void>,
): Promise<Taken> {
  const to = `+${pdu.destination_addr}`;
  if (!E164.test(to)) return { status: smpp.errors.ESME_RINVDSTADR };
  const text = textOf(pdu);
  if (text === undefined) return { status: smpp.errors.ESME_RINVMSGLEN };

  await waiting.wait(delaySecondsOf(to));
  const behaviour = smsBehaviour(to);
  // The first digit is no zero: the service keeps no leading zeros, and its messages are looked up here.
  const id = (randomBytes(8).readBigUInt64BE() | (1n << 63n)).toString(16).toUpperCase();
  const from = String(pdu.source_addr || 'SANDBOX');
  if (behaviour.isReceived) books.receiveMessage({ provider: 'smpp', to, from, text, id });
  if (behaviour.answer === 'connection-dropped') return 'dropped';
  const status = smpp.errors[statuses[behaviour.answer]];
  if (behaviour.answer !== 'queued') return { status };
  if (pdu.registered_delivery)
    await announceReports(behaviour, waiting, (state) =>
      sendReceipt({ id, from: canonicalNumber(to).slice(1), to: from, state }),
    );
  return { status, id };
}

/** Octets that a message on the air carries; longer ones come in `message_payload`. */
const LONGEST_OCTETS = { 0: 160, 8: 140 } as const;

/** The text of a message; undefined where it has none, or its text is too long for its place. */
function textOf(pdu: PDU): string | undefined {
  const longest = pdu.data_coding === 8 ? LONGEST_OCTETS[8] / 2 : LONGEST_OCTETS[0];
  const short = contentOf(pdu.short_message);
  const long = contentOf(pdu.message_payload);
  if (short.length > longest || (short && long)) return undefined;
  return short || long || undefined;
}

const contentOf = (field: unknown): string =>
  String((field as { message?: unknown } | undefined)?.message ?? '');

/** Time that a receiver has to answer a receipt. */
const ANSWER_MS = 5_000;

const words: Readonly<Record<ReportState, { stat: string; state: number; err: string }>> = {
  completed: { stat: 'DELIVRD', state: 2, err: '000' },
  failed: { stat: 'UNDELIV', state: 5, err: '011' },
  pending: { stat: 'ENROUTE', state: 1, err: '000' },
};

/**
 * The delivery receipts: each goes to a session of its account, and waits where there is none. A receipt
 * that is not acknowledged is sent again.
 */
function createReceipts(waiting: Waiting) {
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
  const delivered = state === 'completed' ? '001' : '000';
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
  parts: CommonParts,
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

  // A client that cannot connect is no error of the sandbox.
  const boundPort = await listen(server, { host, port }, () => {});
  return {
    port: boundPort,
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
