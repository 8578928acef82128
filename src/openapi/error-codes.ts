import { httpStatusOf, type Reason } from '../domain/refusals.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type EndpointRefusal, refusalsBefore, refusalsOf } from './endpoint-refusals.ts';

type Meaning = EndpointRefusal & {
  /** Those that answer it. */
  readonly endpoints: readonly Endpoint[];
};

/** What one statusCode of an API can mean. */
export interface ErrorCode {
  readonly statusCode: number;
  readonly httpStatus: number;
  readonly meanings: readonly Meaning[];
}

/** Every statusCode of an API in its order: 4041 stands between 404 and 405. */
export function errorCodes({ surface, endpoints }: SurfaceRoutes): ErrorCode[] {
  const codes = new Map<number, Map<Reason, Meaning>>();
  const add = (refusal: EndpointRefusal, by: readonly Endpoint[]) => {
    const meanings = codes.get(refusal.statusCode) ?? new Map<Reason, Meaning>();
    const others = meanings.get(refusal.reason)?.endpoints ?? [];
    meanings.set(refusal.reason, { ...refusal, endpoints: [...others, ...by] });
    codes.set(refusal.statusCode, meanings);
  };
  for (const refusal of refusalsBefore(surface)) add(refusal, endpoints);
  for (const endpoint of endpoints)
    for (const refusal of refusalsOf(surface, endpoint)) add(refusal, [endpoint]);
  return [...codes]
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
    .map(([statusCode, meanings]) => ({
      statusCode,
      httpStatus: httpStatusOf(statusCode),
      meanings: [...meanings.values()],
    }));
}
