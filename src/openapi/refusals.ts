import type {
  ExampleObject,
  ResponseObject,
  ResponsesObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import {
  httpStatusOf,
  messageOf,
  type Operation,
  type Reason,
  remedyOf,
  type Surface,
  statusCodeOf,
} from '../domain/refusals.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import { type Endpoint, scopeOf } from '../http/endpoint.ts';
import { REASON_HEADER } from '../http/envelope.ts';
import { guards } from '../http/pipeline.ts';
import { topupFailureSchema } from '../partner/topups.ts';
import { COMMON_HEADERS, headersOf } from './headers.ts';
import { outputSchema } from './schemas.ts';

/** One reason for which an endpoint refuses, as its callers get it. */
interface EndpointRefusal {
  readonly reason: Reason;
  readonly statusCode: number;
  readonly httpStatus: number;
  readonly message: string;
  /** The action of the caller, as a sentence without its full stop. */
  readonly remedy: string;
}

/** The reasons of every request. */
const EVERYWHERE: readonly Reason[] = ['unavailable', 'internal-error'];

/** The reasons of requests that are refused before their endpoint is known. */
const BEFORE_ENDPOINTS: readonly Reason[] = [
  'http-malformed',
  'request-too-slow',
  'expectation-unsupported',
  'headers-too-large',
  'route-not-found',
  'method-not-allowed',
];

/** The reasons among them that any valid request can meet. */
const UNREAD: readonly Reason[] = [
  'request-too-slow',
  'expectation-unsupported',
  'headers-too-large',
];

/** All refusals of an endpoint on its surface. */
export const refusalsOf = (surface: Surface, endpoint: Endpoint): EndpointRefusal[] =>
  reasonsOf(endpoint).map((reason) => describe(surface, reason, endpoint.operation));

/** The refusals of a surface before any of its endpoints. */
const refusalsBefore = (surface: Surface): EndpointRefusal[] =>
  BEFORE_ENDPOINTS.map((reason) => describe(surface, reason));

function describe(surface: Surface, reason: Reason, operation?: Operation): EndpointRefusal {
  const statusCode = statusCodeOf(reason, surface, operation);
  return {
    reason,
    statusCode,
    httpStatus: httpStatusOf(statusCode),
    message: messageOf(reason),
    remedy: remedyOf(reason),
  };
}

/** The reasons of the endpoint's guards, its own, and those of every endpoint. */
export function reasonsOf(endpoint: Endpoint): Reason[] {
  const ofGuards = guards
    .filter(({ ofSigned }) => !ofSigned || endpoint.access === 'signed')
    .flatMap((guard) => guard.reasons)
    .filter((reason) => canMeet(endpoint, reason));
  return [...new Set([...ofGuards, ...endpoint.reasons, ...EVERYWHERE])];
}

function canMeet(endpoint: Endpoint, reason: Reason): boolean {
  const { method, access, body, query, params, idempotency } = endpoint;
  switch (reason) {
    case 'token-invalid':
    case 'account-suspended':
    case 'address-not-registered':
      return access !== 'public';
    case 'scope-missing':
      return scopeOf(endpoint) !== undefined;
    case 'body-too-large':
    case 'media-type-unsupported':
      return method !== 'GET';
    case 'request-invalid':
      return Boolean(body ?? query ?? params ?? idempotency);
    default:
      return true;
  }
}

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
export function errorCodesOf({ surface, endpoints }: SurfaceRoutes): ErrorCode[] {
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

/** The statuses of refusals with Retry-After; 403 during the resolution of a registered name. */
const WITH_RETRY_AFTER = [403, 409, 429, 503];

/** The refusals of an endpoint by HTTP status: each reason with its meaning and remedy. */
export function refusalResponses(surface: Surface, endpoint: Endpoint): ResponsesObject {
  const byStatus = Map.groupBy(refusalsOf(surface, endpoint), ({ httpStatus }) => httpStatus);
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, found]) => [status, refusalResponse(surface, endpoint, status, found)]),
  );
}

function refusalResponse(
  surface: Surface,
  endpoint: Endpoint,
  status: number,
  found: readonly EndpointRefusal[],
): ResponseObject {
  const lines = found.map(
    ({ statusCode, reason, message, remedy }) =>
      `- ${statusCode} \`${reason}\`: ${message} (${remedy})`,
  );
  const examples = found.map((refusal) => [
    refusal.reason,
    { $ref: `#/components/examples/${exampleName(refusal)}` },
  ]);
  return {
    description: lines.join('\n'),
    headers: headersOf(
      ...COMMON_HEADERS,
      REASON_HEADER,
      'Link',
      ...(status === 401 ? ['WWW-Authenticate'] : []),
      ...(status === 405 ? ['Allow'] : []),
      ...(WITH_RETRY_AFTER.includes(status) ? ['Retry-After'] : []),
      ...(endpoint.idempotency ? ['Idempotent-Replayed'] : []),
      'x-ignored-fields',
    ),
    content: {
      'application/json': {
        schema: refusalSchema(surface),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/**
 * The refusals of a request that the server does not read to its end (src/http/http-server.ts). Such a refusal has
 * none of the usual headers, and no data on either surface.
 */
export const unreadResponses = (surface: Surface): ResponsesObject =>
  Object.fromEntries(
    UNREAD.map((reason) => {
      const { statusCode, httpStatus, message, remedy } = describe(surface, reason);
      const response: ResponseObject = {
        description: `- ${statusCode} \`${reason}\`: ${message} (${remedy})`,
        headers: headersOf(REASON_HEADER, 'Link'),
        content: {
          'application/json': {
            schema: unreadSchema(surface),
            example: { success: false, message, statusCode, data: null },
          },
        },
      };
      return [httpStatus, response];
    }),
  );

const unreadSchema = (surface: Surface): SchemaObject => {
  const withoutData = refusalSchema('merchant');
  return surface === 'merchant' ? withoutData : { ...withoutData, title: 'UnreadRefusal' };
};

const exampleName = ({ reason, statusCode }: EndpointRefusal): string => `${reason}-${statusCode}`;

/** An example answer for each reason and code of a surface, by the name that responses use. */
export const refusalExamples = ({
  surface,
  endpoints,
}: SurfaceRoutes): Record<string, ExampleObject> =>
  Object.fromEntries(
    endpoints
      .flatMap((endpoint) => refusalsOf(surface, endpoint))
      .map((refusal): [string, ExampleObject] => {
        const { message, statusCode, reason } = refusal;
        const data = surface === 'partner' ? { reason } : null;
        const value = { success: false, message, statusCode, data };
        return [exampleName(refusal), { summary: message, value }];
      }),
  );

/** The reasons of all refusals of a surface, as its programs see them. */
export const refusalReasons = (routes: SurfaceRoutes): SchemaObject => ({
  type: 'string',
  description: 'Why a request was refused. Reasons can be added at any time',
  enum: errorCodesOf(routes)
    .flatMap(({ meanings }) => meanings.map(({ reason }) => reason))
    .filter((reason, index, all) => all.indexOf(reason) === index)
    .sort(),
});

/** The envelope of every refusal of a surface; only partners get data with it (specification 7.1). */
const refusalSchema = (surface: Surface): SchemaObject => ({
  title: 'Refusal',
  type: 'object',
  description: 'A refusal',
  required: ['success', 'message', 'statusCode', 'data'],
  properties: {
    success: { type: 'boolean', const: false, description: 'Always false here' },
    message: {
      type: 'string',
      description: 'For people: the meaning of the code, followed by details of the case',
    },
    statusCode: {
      type: 'integer',
      description: 'The code of the refusal; the examples of an answer are its codes',
      examples: [400],
    },
    data:
      surface === 'merchant'
        ? {
            type: 'null',
            description: `Always null: the header ${REASON_HEADER} has the reason`,
          }
        : {
            description: 'Data for programs besides the code',
            anyOf: [
              ...[ISSUES, outputSchema(topupFailureSchema), RUNNING].map(withReason),
              REFUSAL_DATA,
            ],
          },
  },
});

/** `data` of a partner's refusal, where its reason has nothing further. */
const REFUSAL_DATA: SchemaObject = {
  title: 'RefusalData',
  type: 'object',
  description: 'Data for programs besides the code',
  required: ['reason'],
  properties: { reason: { $ref: '#/components/schemas/ErrorReason' } },
};

const withReason = ({ required = [], properties, ...schema }: SchemaObject): SchemaObject => ({
  ...schema,
  required: ['reason', ...required],
  properties: { ...REFUSAL_DATA.properties, ...properties },
});

const ISSUES: SchemaObject = {
  title: 'WrongFields',
  description: 'Of an invalid request (400)',
  type: 'object',
  required: ['issues'],
  properties: {
    issues: {
      type: 'array',
      description: 'The problems of the request, at most 20',
      items: {
        title: 'WrongField',
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'The field', examples: ['msisdn'] },
          message: { type: 'string', description: 'What to send' },
        },
      },
    },
  },
};

const RUNNING: SchemaObject = {
  title: 'RunningRedemption',
  description: 'Of a redemption without a result yet (409)',
  type: 'object',
  required: ['referenceNumber'],
  properties: {
    referenceNumber: {
      type: ['string', 'null'],
      description: 'Reference of the running redemption, for questions to support',
    },
  },
};
