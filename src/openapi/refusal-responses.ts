import type {
  ExampleObject,
  ResponseObject,
  ResponsesObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { Surface } from '../domain/refusals.ts';
import type { SurfaceRoutes } from '../http/app.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { REASON_HEADER } from '../http/envelope.ts';
import { type EndpointRefusal, refusalsOf } from './endpoint-refusals.ts';
import { errorCodes } from './error-codes.ts';
import { COMMON_HEADERS, headersOf } from './headers.ts';
import { outputSchema } from './json-schema.ts';

/** The statuses of refusals with Retry-After; 403 during the resolution of a registered name. */
const WITH_RETRY_AFTER = [403, 409, 429, 503];

/** The refusals of an endpoint by HTTP status: each reason with its meaning and remedy. */
export function refusalResponses(surface: Surface, endpoint: Endpoint): ResponsesObject {
  const byStatus = new Map<number, EndpointRefusal[]>();
  for (const refusal of refusalsOf(surface, endpoint))
    byStatus.set(refusal.httpStatus, [...(byStatus.get(refusal.httpStatus) ?? []), refusal]);
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
      ...(status === 405 ? ['Allow'] : []),
      ...(WITH_RETRY_AFTER.includes(status) ? ['Retry-After'] : []),
      ...(endpoint.idempotency ? ['Idempotent-Replayed'] : []),
      ...(endpoint.body ? ['x-ignored-fields'] : []),
    ),
    content: {
      'application/json': {
        schema: refusalSchema(surface, endpoint, found),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

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
  enum: errorCodes(routes)
    .flatMap(({ meanings }) => meanings.map(({ reason }) => reason))
    .filter((reason, index, all) => all.indexOf(reason) === index)
    .sort(),
});

/** The envelope of a refusal; only partners get data with it (specification 7.1). */
function refusalSchema(
  surface: Surface,
  endpoint: Endpoint,
  found: readonly EndpointRefusal[],
): SchemaObject {
  const statusCodes = [...new Set(found.map(({ statusCode }) => statusCode))];
  return {
    type: 'object',
    required: ['success', 'message', 'statusCode', 'data'],
    properties: {
      success: { type: 'boolean', const: false, description: 'Always false here' },
      message: {
        type: 'string',
        description: 'For people: the meaning of the code, followed by details of the case',
      },
      statusCode: {
        type: 'integer',
        enum: statusCodes.sort((one, other) => one - other),
        description: 'The code of the refusal',
      },
      data:
        surface === 'partner'
          ? refusalData(endpoint, found)
          : {
              type: 'null',
              description: `Always null: the header ${REASON_HEADER} has the reason`,
            },
    },
  };
}

/** The reason for programs, and what some reasons have besides. */
function refusalData({ failure }: Endpoint, found: readonly EndpointRefusal[]): SchemaObject {
  const has = (wanted: EndpointRefusal['reason']) => found.some(({ reason }) => reason === wanted);
  const further: SchemaObject[] = [];
  if (has('request-invalid')) further.push(ISSUES);
  if (failure && has('topup-failed')) further.push(outputSchema(failure));
  if (has('still-processing')) further.push(RUNNING);
  const plain = { $ref: '#/components/schemas/RefusalData' };
  if (further.length === 0) return plain;
  return {
    description: DATA_MEANING,
    anyOf: [...further.map(withReason), plain],
  };
}

const DATA_MEANING = 'Data for programs besides the code';

/** `data` of a partner's refusal, where its reason has nothing further. */
export const REFUSAL_DATA: SchemaObject = {
  type: 'object',
  description: DATA_MEANING,
  required: ['reason'],
  properties: { reason: { $ref: '#/components/schemas/ErrorReason' } },
};

const withReason = ({ required = [], properties, ...schema }: SchemaObject): SchemaObject => ({
  ...schema,
  required: ['reason', ...required],
  properties: { ...REFUSAL_DATA.properties, ...properties },
});

const ISSUES: SchemaObject = {
  type: 'object',
  required: ['issues'],
  properties: {
    issues: {
      type: 'array',
      description: 'The problems of the request, at most 20',
      items: {
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
  type: 'object',
  required: ['referenceNumber'],
  properties: {
    referenceNumber: {
      type: ['string', 'null'],
      description: 'Reference of the running redemption, for questions to support',
    },
  },
};
