import type { Endpoint } from '../../http/endpoint.ts';

/** A call as the samples of every language send it. */
export interface SampleCall {
  readonly method: Endpoint['method'];
  /** With the example's values in place of its parameters. */
  readonly url: string;
  readonly needsToken: boolean;
  readonly isSigned: boolean;
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
}

/** The headers whose values are known; those of token and signature are variables of the languages. */
export const fixedHeaders = ({ idempotencyKey, body }: SampleCall): [string, string][] => [
  ...(idempotencyKey === undefined
    ? []
    : [['Idempotency-Key', idempotencyKey] as [string, string]]),
  ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
];

/** The body as text that a person reads. */
export const bodyText = ({ body }: SampleCall): string =>
  body === undefined ? '' : JSON.stringify(body, null, 2);

/** Every line but the first one. */
export const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);
