import { z } from 'zod';

const text = z.union([z.string(), z.number().transform(String)]);

/** The answer to a payment or an inquiry: code 0 means accepted, and nothing more. */
export const acceptanceSchema = z.object({
  ResponseCode: text,
  ResponseDescription: z.string().catch(''),
});

/** The error object of the gateway, e.g. 400.002.02. */
export const gatewayErrorSchema = z.object({
  errorCode: text,
  errorMessage: z.string().catch(''),
});

/** What a callback told: of the payment itself, or as the answer to an inquiry. */
export interface MpesaResult {
  readonly resultCode: string;
  readonly description: string;
  /** Of an inquiry's answer: the status of the payment. */
  readonly transactionStatus: string | null;
  readonly receipt: string | null;
  /** What the provider has otherwise than we sent it. */
  readonly difference: 'reference' | 'amount' | 'payee' | null;
}

/** The results of M-Pesa, which arrive by callbacks only. */
export interface MpesaResults {
  /** What M-Pesa told about a payment by itself. */
  ofPayment(reference: string): Promise<MpesaResult | undefined>;
  /** The answers to our inquiries that nobody has used yet, newest first; takes them. */
  takeAnswers(reference: string): Promise<readonly MpesaResult[]>;
}
