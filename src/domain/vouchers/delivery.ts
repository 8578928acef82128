/** What a provider says about a message after it has taken it. */
export interface DeliveryReport {
  readonly provider: string;
  /** The provider's id of the message. */
  readonly reference: string;
  /** `under-way` says nothing about its end. */
  readonly state: 'delivered' | 'not-delivered' | 'under-way';
  /** The provider's words for a message that was not delivered, safe to show. */
  readonly reason: string | null;
}
