import type { ProviderOutcome } from '../outcome.js';

export interface Email {
  /**
   * The left half of its Message-ID (RFC 5322, 3.6.4): letters, digits and hyphens. The same message
   * sent again has the same, so that mailboxes can tell.
   */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Port: hands one e-mail to a server. Never throws for the server's answer or silence. */
export interface EmailSender {
  send(email: Email): Promise<ProviderOutcome>;
}
