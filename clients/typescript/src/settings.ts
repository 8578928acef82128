import type { RepetitionSettings } from './repetition.ts';
import type { Fetch } from './transport.ts';

/** What every client needs, and what can be set otherwise. */
export interface ClientSettings extends Partial<RepetitionSettings> {
  /** The base address of the API, such as `https://…/api/v1/client`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Of one request, until its answer has been read; 30 by default. */
  readonly timeoutSeconds?: number;
  /** Sends the requests in place of the `fetch` of Node.js: for proxies, logs and tests. */
  readonly fetch?: Fetch;
}

/** The options of every call. */
export interface CallOptions {
  /** Ends the call; a request that changes something may have been carried out nevertheless. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of calls that change something. */
export interface ChangeOptions extends CallOptions {
  /**
   * One key for each thing that shall happen once: 1 to 200 printable ASCII characters. Store it with
   * the order before the call; without one, the client makes a key for this call alone.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The settings with their defaults. */
export const withDefaults = (settings: ClientSettings): Required<ClientSettings> => ({
  baseUrl: withoutSlash(new URL(settings.baseUrl).href),
  apiKey: settings.apiKey,
  timeoutSeconds: settings.timeoutSeconds ?? 30,
  attempts: settings.attempts ?? 8,
  totalSeconds: settings.totalSeconds ?? 120,
  firstPauseSeconds: settings.firstPauseSeconds ?? 1,
  fetch: settings.fetch ?? ((url, request) => fetch(url, request)),
});

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
