import smpp, { type PDU, type Session } from 'smpp';
import type { ProviderOutcome } from '../../outcome.ts';

/**
 * `refused-account`: for a reason of our account there, or of how it wants messages. `refused-for-now`: for a fault of the
 * SMSC. Neither says anything about the number.
 */
type Kind = 'refused' | 'refused-account' | 'refused-for-now' | 'throttled' | 'not-bound';

/**
 * What a command_status of submit_sm proves (SMPP 3.4, 5.1.3). A status that is not here, such as a
 * system error or a vendor's own, proves nothing: the message may have been taken.
 */
const statuses: Readonly<Record<Kind, readonly string[]>> = {
  refused: ['ESME_RINVDSTADR', 'ESME_RX_P_APPN', 'ESME_RX_R_APPN'],
  'refused-account': [
    'ESME_RINVMSGLEN',
    'ESME_RINVCMDLEN',
    'ESME_RINVCMDID',
    'ESME_RINVPRTFLG',
    'ESME_RINVREGDLVFLG',
    'ESME_RINVSRCADR',
    'ESME_RINVSERTYP',
    'ESME_RINVESMCLASS',
    'ESME_RINVSRCTON',
    'ESME_RINVSRCNPI',
    'ESME_RINVDSTTON',
    'ESME_RINVDSTNPI',
    'ESME_RINVSYSTYP',
    'ESME_RINVREPFLAG',
    'ESME_RINVSCHED',
    'ESME_RINVEXPIRY',
    'ESME_RINVDFTMSGID',
    'ESME_RINVTLVSTREAM',
    'ESME_RTLVNOTALLWD',
    'ESME_RINVTLVLEN',
    'ESME_RMISSINGTLV',
    'ESME_RINVTLVVAL',
    'ESME_RSERTYPUNAUTH',
    'ESME_RPROHIBITED',
    'ESME_RSERTYPDENIED',
    'ESME_RINVDCS',
  ],
  'refused-for-now': ['ESME_RSUBMITFAIL', 'ESME_RX_T_APPN', 'ESME_RSERTYPUNAVAIL'],
  throttled: ['ESME_RMSGQFUL', 'ESME_RTHROTTLED'],
  'not-bound': ['ESME_RINVBNDSTS'],
};

const names = new Map(Object.entries(smpp.errors).map(([name, status]) => [status, name]));

/** The name of a command_status, or its number. */
const statusName = (status: number): string =>
  names.get(status)?.replace(/^ESME_/, '') ?? `0x${status.toString(16).padStart(8, '0')}`;

const kindOf = (status: number): Kind | undefined =>
  (Object.keys(statuses) as Kind[]).find((kind) =>
    statuses[kind].includes(names.get(status) ?? ''),
  );

/** Whether the SMSC asks for fewer messages. */
export const isThrottling = (status: number): boolean => kindOf(status) === 'throttled';

/** The outcome of a submit_sm that was answered. Delivered means accepted by the SMSC. */
export function outcomeOfAnswer(
  status: number,
  messageId: unknown,
  pauseSeconds: number,
): ProviderOutcome {
  if (status === 0) return { kind: 'delivered', providerReference: readableId(messageId) };
  const name = statusName(status);
  switch (kindOf(status)) {
    case 'refused':
      return refused(name, { retryCanHelp: false });
    case 'refused-account':
      return refused(name, { retryCanHelp: false, anotherMayTake: true });
    case 'refused-for-now':
      return refused(name, { retryCanHelp: true, anotherMayTake: true });
    case 'throttled':
      return {
        kind: 'not-sent',
        message: `Too many messages: ${name}.`,
        retryAfterSeconds: pauseSeconds,
      };
    case 'not-bound':
      return { kind: 'not-sent', message: `The SMSC did not take it: ${name}.` };
    default:
      return { kind: 'unknown', message: `The SMSC answered ${name}.` };
  }
}

const refused = (
  name: string,
  refusal: { readonly retryCanHelp: boolean; readonly anotherMayTake?: true },
): ProviderOutcome => ({
  kind: 'refused',
  code: name,
  message: `The SMSC refused it: ${name}.`,
  ...refusal,
});

/**
 * The visible characters that an id begins with. The library reads a TLV to the next zero octet, beyond
 * its length where its SMSC does not end it with one.
 */
export const readableId = (id: unknown): string =>
  typeof id === 'string' ? (/^[\x21-\x7e]{1,65}/.exec(id)?.[0] ?? '') : '';

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

interface BoundSession {
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
 * Connects and binds as transceiver. The library has no time limits, and keeps the callbacks of
 * PDUs that are never answered. It ends the process on an unhandled error, and leaves a connection
 * open whose data it cannot read. This file handles all that, and every error ends the session.
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

export interface ConnectionPauses {
  /** Pause before the first new try; it doubles with each failure. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

interface NoSession {
  readonly reason: string;
  /** Pause until the next try. */
  readonly retryAfterSeconds?: number;
}

/**
 * Keeps one session open, once it is wanted.
 *
 * @param connect opens a session; its error says why it could not
 */
export function createConnection(
  connect: () => Promise<BoundSession>,
  pauses: ConnectionPauses,
  note: (event: 'bound' | 'lost', reason?: string) => void,
) {
  let current: BoundSession | undefined;
  let reason = 'There is no session with the SMSC yet.';
  let failures = 0;
  let nextTryAt = 0;
  let isOpen = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let trying: Promise<void> = Promise.resolve();
  /** Callers that wait for a new state. */
  const waiters = new Set<() => void>();

  async function tryOnce(): Promise<void> {
    const startedAt = Date.now();
    try {
      const session = await connect();
      current = session;
      note('bound');
      void session.closed.then((why) => {
        current = undefined;
        // A session that ends soon after it began counts as a failure.
        if (Date.now() - startedAt > pauses.longestPauseMs) failures = 0;
        tryLater(why);
      });
    } catch (error) {
      tryLater(error instanceof Error ? error.message : String(error));
    } finally {
      wakeAll(waiters);
    }
  }

  function tryLater(why: string) {
    reason = why;
    if (isClosed) return;
    note('lost', why);
    const pauseMs = Math.min(pauses.firstPauseMs * 2 ** failures, pauses.longestPauseMs);
    failures += 1;
    nextTryAt = Date.now() + pauseMs;
    timer = setTimeout(begin, pauseMs);
    timer.unref();
  }

  function begin() {
    trying = tryOnce();
  }

  /** Begins to connect, and connects again whenever the session ends. */
  function open() {
    if (isOpen || isClosed) return;
    isOpen = true;
    begin();
  }

  /** The open session, or why there is none, which is known after at most this time. */
  async function session(withinMs: number): Promise<BoundSession | NoSession> {
    open();
    const pauseMs = nextTryAt - Date.now();
    if (!current && !isClosed && pauseMs < withinMs) await wait(waiters, withinMs);
    if (current) return current;
    const restMs = Math.max(0, nextTryAt - Date.now());
    return { reason, ...(restMs > 0 && { retryAfterSeconds: Math.ceil(restMs / 1_000) }) };
  }

  /** Ends the session; there is none after it. */
  async function close() {
    isClosed = true;
    reason = 'The service is stopping.';
    clearTimeout(timer);
    wakeAll(waiters);
    await trying;
    await current?.end();
  }

  return { open, session, close };
}

/** Waits in a line until woken; false where that took too long. */
const wait = (line: Set<() => void>, withinMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const leave = (isWoken: boolean) => {
      clearTimeout(timer);
      line.delete(wake);
      resolve(isWoken);
    };
    const wake = () => leave(true);
    const timer = setTimeout(leave, withinMs, false);
    line.add(wake);
  });

const wakeAll = (line: Set<() => void>): void => {
  for (const wake of [...line]) wake();
};

/** The PDUs that may be without an answer at the same time. */
export function createWindow(size: number) {
  let taken = 0;
  const waiting = new Set<() => void>();
  let atEnd: (() => void)[] = [];

  function free() {
    const [next] = waiting;
    if (next) {
      next();
      return;
    }
    taken -= 1;
    if (taken > 0) return;
    for (const resolve of atEnd) resolve();
    atEnd = [];
  }

  return {
    /** A place, in the order of the callers; undefined where none is free in time. */
    async take(withinMs: number) {
      if (taken < size) taken += 1;
      else if (!(await wait(waiting, withinMs))) return undefined;
      return { free };
    },
    /** Resolves when no place is taken. */
    empty: (): Promise<void> =>
      taken === 0 ? Promise.resolve() : new Promise((resolve) => atEnd.push(resolve)),
  };
}
