import type { SmsProviderName } from '../providers/provider-names.ts';

/** What a provider says about a message after it has taken it. */
export interface DeliveryReport {
  readonly provider: SmsProviderName;
  /** The provider's id of the message. */
  readonly reference: string;
  /** `under-way` says nothing about its end. */
  readonly state: 'delivered' | 'not-delivered' | 'under-way';
  /** The provider's words for a message that was not delivered, safe to show. */
  readonly reason: string | null;
}

/** A code whose delivery has become known, or has turned out otherwise, while its claim waits. */
export interface ReportedCode {
  /** The workflow of its claim. */
  readonly workflowId: string;
  readonly isDelivered: boolean;
  readonly reason: string | null;
}
