import type { ProviderOutcome } from '../outcome.ts';
import type { ProviderAccount } from '../statement.ts';

export interface SmsMessage {
  /** E.164 */
  readonly to: string;
  readonly text: string;
  /** Afterwards it is of no use, and need not arrive; as far as the protocol can say it. */
  readonly validForSeconds?: number;
}

/** Port: hands one text message to a provider. Never throws for a provider's answer or timeout. */
export interface SmsSender extends Pick<ProviderAccount, 'balance' | 'check'> {
  send(message: SmsMessage): Promise<ProviderOutcome>;
  /** Ends a session that it keeps open. */
  close?(): Promise<void>;
}
