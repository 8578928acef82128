import type { Payload } from '@temporalio/common';

/** A payload in the format of the Temporal UI: bytes in base64. */
export interface JsonPayload {
  readonly metadata?: Record<string, string> | undefined;
  readonly data?: string | undefined;
}

export const fromJson = ({ metadata = {}, data = '' }: JsonPayload): Payload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value, 'base64')]),
  ),
  data: Buffer.from(data, 'base64'),
});

export const toJson = ({ metadata, data }: Payload): JsonPayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});
