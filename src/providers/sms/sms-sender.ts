import type { ProviderOutcome } from '../outcome.js';

export interface SmsMessage {
  /** E.164 */
  readonly to: string;
  readonly text: string;
}

/** Port: hands one text message to a provider. Never throws for a provider's answer or timeout. */
export interface SmsSender {
  send(message: SmsMessage): Promise<ProviderOutcome>;
}
