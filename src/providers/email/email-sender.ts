import type { ProviderOutcome } from '../outcome.js';

export interface Email {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Port: hands one e-mail to a server. Never throws for the server's answer or silence. */
export interface EmailSender {
  send(email: Email): Promise<ProviderOutcome>;
}
