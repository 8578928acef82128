import { httpStatusOf, messageOf, type Reason, statusCodeOf } from '../domain/errors.js';
import { type Remedy, reasons } from '../domain/reasons.js';
import type { SurfaceRoutes } from '../http/app.js';
import type { Endpoint } from '../http/endpoint.js';
import { reasonsOf } from './refusals.js';

/** What one statusCode of an API can mean. */
export interface ErrorCode {
  readonly statusCode: number;
  readonly httpStatus: number;
  readonly meanings: readonly {
    readonly reason: Reason;
    readonly message: string;
    readonly remedy: Remedy;
    /** Those that answer it. */
    readonly endpoints: readonly Endpoint[];
  }[];
}

/** Every statusCode of an API in its order: 4041 stands between 404 and 405. */
export function errorCodes({ surface, endpoints }: SurfaceRoutes): ErrorCode[] {
  const codes = new Map<number, Map<Reason, Endpoint[]>>();
  for (const endpoint of endpoints)
    for (const reason of reasonsOf(endpoint)) {
      const statusCode = statusCodeOf(reason, surface, endpoint.operation);
      const meanings = codes.get(statusCode) ?? new Map<Reason, Endpoint[]>();
      meanings.set(reason, [...(meanings.get(reason) ?? []), endpoint]);
      codes.set(statusCode, meanings);
    }
  return [...codes]
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
    .map(([statusCode, meanings]) => ({
      statusCode,
      httpStatus: httpStatusOf(statusCode),
      meanings: [...meanings].map(([reason, answeredBy]) => ({
        reason,
        message: messageOf(reason),
        remedy: reasons[reason].remedy,
        endpoints: answeredBy,
      })),
    }));
}
