import { defineSignal } from '@temporalio/workflow';

/** The network's report about the message with the code, after the SMS provider had taken it. */
export interface CodeDelivery {
  readonly isDelivered: boolean;
  /** The provider's message about a text that was not delivered. */
  readonly reason: string | null;
}

/** The code was not delivered; or it was after all, or its repetition was. */
export const codeDelivery = defineSignal<[CodeDelivery]>('codeDelivery');

/** Reads the data of a signal: a copy of another payload says nothing. */
export function readCodeDelivery(given: unknown): CodeDelivery | undefined {
  const { isDelivered, reason } = (given ?? {}) as Partial<CodeDelivery>;
  if (typeof isDelivered !== 'boolean') return undefined;
  return { isDelivered, reason: typeof reason === 'string' ? reason : null };
}
