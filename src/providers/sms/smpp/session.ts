import smpp, { type PDU, type Session } from 'smpp';
import { statusName } from './submit-answers.ts';

export interface SessionSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** The authority of the SMSC's certificate, in PEM; those of Node.js without it. */
  readonly ca?: Buffer | undefined;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  /** Time limit of connecting and binding, and of the answer to each PDU. */
  readonly timeoutMs: number;
  /** Pause between two signs of life. */
  readonly enquireLinkMs: number;
}

/** The answer to a PDU. `none` proves nothing; `not-written` proves that it did not leave. */
type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly pdu: PDU }
  | { readonly kind: 'none'; readonly message: string }
  | { readonly kind: 'not-written'; readonly message: string };

export interface BoundSession {
  /** Never rejects. A PDU without an answer makes the session prove that it lives. */
  request(command: string, fields: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Unbinds and closes. */
  end(): Promise<void>;
  /** Closes without a word. */
  destroy(reason: string): void;
  /** Resolves with the reason when it is closed. */
  readonly closed: Promise<string>;
}

/** Time that an SMSC has to close its side. */
const CLOSING_MS = 1_000;

/**
 * Connects and binds as transceiver. The library has no time limits, keeps the callbacks of PDUs that are never answered,
 * ends the process on an error that nobody hears, and leaves a connection open whose data it cannot
 * read: all that is dealt with here, and every error ends the session.
 *
 * @param receive answers a PDU from the SMSC, by its response's command_status; never rejects
 * @throws where it cannot connect or the SMSC refuses; the message holds no secret
 */
export async function openSession(
  settings: SessionSettings,
  receive: (pdu: PDU) => Promise<number>,
): Promise<BoundSession> {
  const { host, port, tls, ca } = settings;
  const session = smpp.connect({ host, port, tls, ...(ca && { ca }) });
  const exchange = createExchange(session, settings.timeoutMs);
  session.on('pdu', (pdu: PDU) => {
    if (pdu.isResponse()) exchange.settle(pdu);
    else
      answerTo(pdu, receive, exchange)
        .then((response) => response && session.send(response))
        .catch(() => exchange.destroy('The SMSC sent what cannot be answered.'));
  });

  await connected(session, tls, exchange, settings.timeoutMs);
  const bound = await exchange.request('bind_transceiver', {
    system_id: settings.systemId,
    password: settings.password,
    system_type: settings.systemType,
    interface_version: 0x34,
  });
  if (bound.kind !== 'answered' || bound.status !== 0) {
    const reason =
      bound.kind === 'answered'
        ? `The SMSC refused the bind: ${statusName(bound.status)}.`
        : bound.message;
    exchange.destroy(reason);
    throw new Error(reason);
  }
  return live(exchange, settings.enquireLinkMs);
}

type Exchange = ReturnType<typeof createExchange>;

/** The requests of one connection, each with its own time limit. */
function createExchange(session: Session, timeoutMs: number) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let close: (reason: string) => void = () => {};
  let reason = 'The SMSC closed the connection.';
  const closed = new Promise<string>((resolve) => {
    close = resolve;
  });
  const destroy = (why: string) => {
    reason = why;
    session.destroy();
  };
  /** Closes after what was written has left. */
  const end = (why: string) => {
    reason = why;
    session.close();
    const timer = setTimeout(() => session.destroy(), CLOSING_MS);
    void closed.then(() => clearTimeout(timer));
  };
  session.on('error', (error: Error & { code?: string }) =>
    destroy(`The connection to the SMSC failed (${error.code ?? 'unreadable data'}).`),
  );
  session.on('close', () => {
    for (const settle of [...waiting.values()]) settle({ kind: 'none', message: reason });
    close(reason);
  });

  async function request(command: string, fields: Readonly<Record<string, unknown>>) {
    const pdu = new smpp.PDU(command, fields);
    if (!session.send(pdu)) return { kind: 'not-written', message: reason } as const;
    return new Promise<Answer>((resolve) => {
      const settle = (answer: Answer) => {
        clearTimeout(timer);
        waiting.delete(pdu.sequence_number);
        resolve(answer);
      };
      const late = { kind: 'none', message: 'The SMSC did not answer in time.' } as const;
      const timer = setTimeout(() => settle(late), timeoutMs);
      waiting.set(pdu.sequence_number, settle);
    });
  }

  const settle = (pdu: PDU) =>
    waiting.get(pdu.sequence_number)?.({ kind: 'answered', status: pdu.command_status, pdu });

  return { request, settle, destroy, end, closed };
}

/** Resolves when the connection stands; rejects where it fails or takes too long. */
async function connected(session: Session, tls: boolean, exchange: Exchange, timeoutMs: number) {
  const timer = setTimeout(
    () => exchange.destroy('The SMSC did not accept the connection in time.'),
    timeoutMs,
  );
  const open = new Promise<undefined>((resolve) =>
    session.once(tls ? 'secureConnect' : 'connect', () => resolve(undefined)),
  );
  const failure = await Promise.race([open, exchange.closed]);
  clearTimeout(timer);
  if (failure !== undefined) throw new Error(failure);
}

/** The bound session, which shows a sign of life at intervals and after each missing answer. */
function live(exchange: Exchange, enquireLinkMs: number): BoundSession {
  const { closed, destroy } = exchange;
  let isProbing = false;
  async function probe() {
    if (isProbing) return;
    isProbing = true;
    const { kind } = await exchange.request('enquire_link', {});
    isProbing = false;
    if (kind === 'none') destroy('The SMSC does not answer.');
  }
  const timer = setInterval(() => void probe(), enquireLinkMs);
  void closed.then(() => clearInterval(timer));
  return {
    closed,
    destroy,
    async request(command, fields) {
      const answer = await exchange.request(command, fields);
      if (answer.kind === 'none') void probe();
      return answer;
    },
    async end() {
      const timer = setTimeout(() => destroy('The session ended.'), CLOSING_MS);
      await exchange.request('unbind', {});
      exchange.end('The session ended.');
      await closed;
      clearTimeout(timer);
    },
  };
}

/** The answer to what the SMSC sends; none where it expects none. */
async function answerTo(
  pdu: PDU,
  receive: (pdu: PDU) => Promise<number>,
  { end }: Exchange,
): Promise<PDU | undefined> {
  switch (pdu.command) {
    case 'deliver_sm':
    case 'data_sm':
      return pdu.response({ command_status: await receive(pdu) });
    case 'enquire_link':
      return pdu.response();
    case 'unbind':
      setImmediate(end, 'The SMSC ended the session.');
      return pdu.response();
    case 'alert_notification':
    case 'outbind':
      return undefined;
    default:
      return pdu.response({ command_status: smpp.errors.ESME_RINVCMDID });
  }
}
