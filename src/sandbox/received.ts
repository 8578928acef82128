import { randomBytes, randomUUID } from 'node:crypto';
import { canonicalNumber } from './phone-number.ts';

/** A text message that a phone received. */
export interface ReceivedMessage {
  readonly id: string;
  /** The provider that delivered it. */
  readonly provider: string;
  /** E.164 */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** ISO 8601 */
  readonly receivedAt: string;
}

/** An e-mail that an address received. */
export interface ReceivedMail {
  readonly id: string;
  /** Its Message-ID; a repeated e-mail appears twice with it. */
  readonly messageId: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  /** Its plain text. */
  readonly text: string;
  readonly attachments: readonly ReceivedFile[];
  /** ISO 8601 */
  readonly receivedAt: string;
}

/** A file of text that was attached to an e-mail. */
export interface ReceivedFile {
  readonly name: string;
  readonly type: string;
  readonly content: string;
}

/** A message on its way, with the id that its provider gave it; a new one without it. */
export type GivenMessage = Pick<ReceivedMessage, 'to' | 'from' | 'text'> &
  Partial<Pick<ReceivedMessage, 'id' | 'provider'>>;
export type GivenMail = Omit<ReceivedMail, 'id' | 'receivedAt'>;

export const receivedMessage = (given: GivenMessage): ReceivedMessage => ({
  id: newMessageId(),
  provider: 'africas-talking',
  ...given,
  to: canonicalNumber(given.to),
  receivedAt: new Date().toISOString(),
});

export const receivedMail = (given: GivenMail): ReceivedMail => ({
  id: randomUUID(),
  ...given,
  to: given.to.toLowerCase(),
  receivedAt: new Date().toISOString(),
});

interface Received {
  addMessage(message: ReceivedMessage): void;
  addMail(mail: ReceivedMail): void;
  /** Newest first; of one phone, or of all. */
  messages(to?: string): ReceivedMessage[];
  /** Newest first; of one address in any notation, or of all. */
  mails(to?: string): ReceivedMail[];
}

/** What phones and mailboxes have received. */
export function createReceived(): Received {
  const messagesByNumber = new Map<string, ReceivedMessage[]>();
  const allMessages: ReceivedMessage[] = [];
  const allMails: ReceivedMail[] = [];
  return {
    addMessage(message) {
      const ofNumber = messagesByNumber.get(message.to) ?? [];
      messagesByNumber.set(message.to, ofNumber);
      ofNumber.push(message);
      allMessages.push(message);
    },
    addMail: (mail) => {
      allMails.push(mail);
    },
    messages: (to) =>
      (to === undefined
        ? allMessages
        : (messagesByNumber.get(canonicalNumber(to)) ?? [])
      ).toReversed(),
    mails: (to) =>
      allMails.filter((mail) => to === undefined || mail.to === to.toLowerCase()).toReversed(),
  };
}

/** An id as Africa's Talking gives them. */
export const newMessageId = (): string => `ATXid_${randomBytes(16).toString('hex')}`;
