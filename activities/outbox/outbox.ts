import type { Logger } from 'pino';
import type { Sql } from '../../src/db/connection.ts';
import {
  cancelUselessMessages,
  leftMessages,
  takeLeftMessages,
} from '../../src/db/messages/abandoned-messages.ts';
import {
  dueInLane,
  type Lane,
  nextDueSubject,
  type OutboxChannel,
  type OutboxEnd,
  type OutboxKind,
  type OutboxMessage,
  recordOutboxMessage,
  renewOutboxSending,
  takeFromOutbox,
  withDueMessages,
} from '../../src/db/outbox.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import {
  CUT_OFF,
  EMAIL_SENDING_SECONDS,
  type MessageSender,
  smsSendingSeconds,
  stateAfter,
} from '../messages.ts';
import { sendByRoutes } from '../providers.ts';
import { severalAtOnce } from '../several-at-once.ts';
import {
  createMessageKinds,
  type Letter,
  type MessageKind,
  type OutboxDependencies,
} from './kinds.ts';

/** Sends the due messages of a kind by one channel. */
export interface OutboxSender {
  /** `messages` are those to the owners of vouchers. */
  readonly kind: OutboxKind | 'messages';
  readonly channel: OutboxChannel;
  /** SQL query: the messages to send now. */
  readonly due: Sql;
  /**
   * Sends what is due. A subject that fails does not delay the others.
   *
   * @param mayGoOn whether another message may begin
   * @throws the first failure, when the rest is done
   */
  send(mayGoOn: () => boolean): Promise<void>;
}

export interface Outbox {
  readonly senders: readonly OutboxSender[];
  /** The senders that have a message to send now, by one statement. */
  findDue(): Promise<OutboxSender[]>;
}

/**
 * The outbox: one sender for each kind and channel, so that none waits for another. Any number of processes may
 * send: a message is taken by one of them. The outbox needs only the database, so its messages leave while
 * Temporal is unavailable.
 */
export function createOutbox(
  dependencies: ActivityDependencies,
  sender: MessageSender,
  logger: OutboxLogger,
): Outbox {
  const senders = [
    ...createOutboxSenders(dependencies, logger),
    createLeftMessageSender(dependencies, sender, logger),
  ];
  return { senders, findDue: () => withDueMessages(dependencies.database, senders) };
}

type OutboxLogger = Pick<Logger, 'warn' | 'error'>;

/** The senders of all messages to people, apart from those to the owners of vouchers. */
export const createOutboxSenders = (
  dependencies: OutboxDependencies,
  logger: OutboxLogger,
  emailSendingSeconds = EMAIL_SENDING_SECONDS,
): OutboxSender[] =>
  Object.entries(createMessageKinds(dependencies, logger)).flatMap(([name, kind]) =>
    kind.channels.map((channel) => {
      const lane: Lane = {
        kind: name as OutboxKind,
        channel,
        patienceSeconds: kind.patienceSeconds,
        longestSeconds:
          channel === 'SMS' ? smsSendingSeconds(dependencies.settings) : emailSendingSeconds,
      };
      return createSender(dependencies, { lane, kind, logger });
    }),
  );

/** Messages to owners that one worker takes and sends at a time. */
const LEFT_AT_A_TIME = 20;
const CANCELLED_AT_A_TIME = 200;

/**
 * Sends the messages to owners that no workflow sends, or cancels them where they are useless. A message whose sending
 * was interrupted is recorded as unknown.
 */
function createLeftMessageSender(
  { database, settings }: ActivityDependencies,
  sender: MessageSender,
  logger: OutboxLogger,
): OutboxSender {
  const times = [
    { ...settings.vouchers, ...settings.market },
    smsSendingSeconds(settings),
  ] as const;
  const about = { kind: 'messages', channel: 'SMS' } as const;

  async function sendOne(id: number): Promise<void> {
    const outcome = await sender.send(id);
    if (outcome.kind === 'refused' || outcome.kind === 'unknown')
      logger.warn({ ...about, id, outcome }, 'A message was not delivered');
  }

  return {
    ...about,
    due: leftMessages(...times),
    async send(mayGoOn) {
      await cancelUselessMessages(database, CANCELLED_AT_A_TIME);
      for (;;) {
        const ids = mayGoOn() ? await takeLeftMessages(database, LEFT_AT_A_TIME, ...times) : [];
        if (ids.length === 0) return;
        await severalAtOnce(ids, LEFT_AT_A_TIME, sendOne);
      }
    },
  };
}

/** The dependencies of a sender. */
interface Sending {
  readonly lane: Lane;
  readonly kind: MessageKind;
  readonly logger: OutboxLogger;
}

function createSender(
  dependencies: OutboxDependencies,
  { lane, kind, logger }: Sending,
): OutboxSender {
  const { database, failpoint } = dependencies;

  async function send(mayGoOn: () => boolean): Promise<void> {
    const failed: string[] = [];
    let failure: { readonly error: unknown } | undefined;
    while (mayGoOn()) {
      const subject = await nextDueSubject(database, lane, failed);
      if (subject === undefined) break;
      try {
        await sendAll(subject, mayGoOn);
      } catch (error) {
        failed.push(subject);
        failure ??= { error };
      }
    }
    if (failure) throw failure.error;
  }

  /** Sends all due messages about a subject. If their content cannot be made, they are tried again later. */
  async function sendAll(subject: string, mayGoOn: () => boolean): Promise<void> {
    const found = await kind.read(subject, lane.channel).catch((error: unknown) => {
      logger.error({ ...aboutOf(subject), reason: reasonOf(error) }, 'Could not compose a message');
      return notComposed;
    });
    const content = typeof found === 'string' ? cancelled(found) : found;
    await failpoint('outbox-read');
    while (mayGoOn()) {
      const message = await takeFromOutbox(database, lane, subject);
      if (!message) return;
      const isPointless = typeof content !== 'function' && content.state === 'CANCELLED';
      if (message.wasInterrupted && (lane.channel === 'SMS' || isPointless))
        await record(subject, message, cutOff);
      else if (typeof content === 'function') await sendTaken(subject, message, content);
      else await record(subject, message, content);
    }
  }

  async function sendTaken(
    subject: string,
    message: OutboxMessage,
    write: (recipient: number) => Promise<Letter | undefined>,
  ): Promise<void> {
    try {
      await record(subject, message, await endOf(message, await write(message.recipient)));
    } catch (error) {
      // Recorded at once: otherwise the next attempt would wait until the sending counts as interrupted.
      await record(subject, message, lane.channel === 'SMS' ? cutOff : interrupted).catch(
        () => undefined,
      );
      throw error;
    }
    await failpoint('outbox-recorded');
  }

  async function endOf(message: OutboxMessage, letter: Letter | undefined): Promise<OutboxEnd> {
    if (!letter) return cancelled('The recipient does not get it any more');
    await failpoint('outbox-sending');
    const end = await handOver(dependencies, message, letter);
    await failpoint('outbox-sent');
    return end.state === 'UNKNOWN' && kind.unknown === 'idempotent'
      ? { ...end, state: 'QUEUED' }
      : end;
  }

  async function record(subject: string, message: OutboxMessage, end: OutboxEnd): Promise<void> {
    const isGivenUp = await recordOutboxMessage(database, message, end, async (transaction) =>
      kind.conclude?.(transaction, subject),
    );
    if (isGivenUp || end.state === 'REFUSED' || end.state === 'UNKNOWN')
      logger.warn(
        { ...aboutOf(subject), id: message.id, state: end.state, isGivenUp, problem: end.problem },
        'A message was not delivered',
      );
  }

  const aboutOf = (subject: string) => ({ kind: lane.kind, channel: lane.channel, subject });

  return { ...lane, due: dueInLane(lane), send };
}

const cancelled = (problem: string): OutboxEnd => ({ state: 'CANCELLED', problem });
const notComposed: OutboxEnd = { state: 'QUEUED', problem: 'It could not be composed' };
/** An e-mail is sent again under the same Message-ID. */
const interrupted: OutboxEnd = { state: 'QUEUED', problem: 'Its sending was interrupted' };
/** A text message is not sent again: its provider has no idempotency key. Nor is a message that became pointless. */
const cutOff: OutboxEnd = { state: 'UNKNOWN', problem: CUT_OFF };

/** Hands a message to its provider. */
async function handOver(
  dependencies: OutboxDependencies,
  message: OutboxMessage,
  letter: Letter,
): Promise<OutboxEnd> {
  const { database, emailSender } = dependencies;
  if (!('routes' in letter))
    return endOfOutcome(await emailSender.send({ id: message.dedupeKey, ...letter }), letter);
  const { to, text, routes } = letter;
  const { outcome, asked } = await sendByRoutes(
    dependencies,
    {
      routes,
      share: `outbox:${message.id}`,
      noteFailover: ({ to: next }) => renewOutboxSending(database, message, next),
    },
    { to, text },
  );
  return { ...endOfOutcome(outcome, letter), provider: asked.provider };
}

/** An answer may quote the message, so the secret is replaced. */
function endOfOutcome(outcome: ProviderOutcome, { secret }: Letter): OutboxEnd {
  const without = (text: string) => (secret === undefined ? text : text.replaceAll(secret, '…'));
  const state = stateAfter[outcome.kind];
  return outcome.kind === 'delivered'
    ? { state, providerReference: without(outcome.providerReference) }
    : { state, problem: without(outcome.message) };
}

/** The name of an error, and PostgreSQL's code: its texts can contain values of rows. */
function reasonOf(error: unknown): string {
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  return [name, code].filter(Boolean).join(' ');
}
