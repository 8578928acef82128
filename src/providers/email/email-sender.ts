import type { ProviderOutcome } from '../outcome.ts';

export interface Email {
  /**
   * The left half of its Message-ID (RFC 5322, 3.6.4): letters, digits and hyphens. It is constant
   * for repetitions, so that mailboxes can recognise them.
   */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  readonly attachments?: readonly EmailAttachment[];
}

/** A file of text, in UTF-8. */
export interface EmailAttachment {
  /** ASCII, without spaces. */
  readonly name: string;
  readonly type: 'text/csv' | 'text/html';
  readonly content: string;
}

/** Port: hands one e-mail to a server. Never throws for the server's answer or timeout. */
export interface EmailSender {
  send(email: Email): Promise<ProviderOutcome>;
}
