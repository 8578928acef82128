import type { Surface } from '../domain/refusals.ts';
import type { Endpoint } from '../http/endpoint.ts';
import merchant from './examples/merchant.json' with { type: 'json' };
import partner from './examples/partner.json' with { type: 'json' };

interface Recorded {
  /** The body of the request; absent where it has none. */
  readonly request?: unknown;
  readonly answer: unknown;
}

const recorded: Readonly<Record<Surface, Readonly<Record<string, Recorded>>>> = {
  partner,
  merchant,
};

/** What a test got from the service when it called this endpoint; undefined where it is not recorded yet. */
export const recordedExample = (
  surface: Surface,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): Recorded | undefined => recorded[surface][`${method} ${path}`];
