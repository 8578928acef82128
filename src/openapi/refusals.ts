import type {
  ExampleObject,
  ResponseObject,
  ResponsesObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import {
  httpStatusOf,
  messageOf,
  type Reason,
  type Surface,
  statusCodeOf,
} from '../domain/errors.js';
import { type Remedy, reasons } from '../domain/reasons.js';
import type { SurfaceRoutes } from '../http/app.js';
import type { Endpoint } from '../http/endpoint.js';
import { guards } from '../http/pipeline.js';
import { COMMON_HEADERS, headersOf } from './headers.js';
import { outputSchema } from './json-schema.js';

const REMEDIES: Readonly<Record<Remedy, string>> = {
  none: 'a repeated request gets the same answer',
  correct: 'correct the request',
  repeat: 'repeat the same request',
  wait: 'wait as long as Retry-After says, then repeat',
};

/** The statuses of refusals with Retry-After; 403 during the resolution of a registered name. */
const WITH_RETRY_AFTER = [403, 409, 429, 503];

/** The reasons of every request. */
const EVERYWHERE: readonly Reason[] = ['unavailable', 'internal-error'];

/** The refusals of an endpoint by HTTP status: each reason with its meaning and remedy. */
export function refusalResponses(surface: Surface, endpoint: Endpoint): ResponsesObject {
  const byStatus = new Map<number, Reason[]>();
  for (const reason of reasonsOf(endpoint)) {
    const status = httpStatusOf(statusCodeOf(reason, surface, endpoint.operation));
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, found]) => [status, refusalResponse(surface, endpoint, status, found)]),
  );
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
  const { access, body, query, params, idempotency } = endpoint;
  switch (reason) {
    case 'token-invalid':
    case 'account-suspended':
    case 'address-not-registered':
      return access !== 'public';
    case 'body-too-large':
    case 'media-type-unsupported':
      return body !== undefined;
    case 'request-invalid':
      return Boolean(body ?? query ?? params ?? idempotency);
    default:
      return true;
  }
}

function refusalResponse(
  surface: Surface,
  endpoint: Endpoint,
  status: number,
  found: readonly Reason[],
): ResponseObject {
  const codeOf = (reason: Reason) => statusCodeOf(reason, surface, endpoint.operation);
  const statusCodes = [...new Set(found.map(codeOf))].sort((one, other) => one - other);
  const lines = found.map(
    (reason) =>
      `- ${codeOf(reason)} \`${reason}\`: ${messageOf(reason)} (${REMEDIES[reasons[reason].remedy]})`,
  );
  const examples = found.map((reason) => [
    reason,
    { $ref: `#/components/examples/${exampleName(reason, codeOf(reason))}` },
  ]);
  return {
    description: lines.join('\n'),
    headers: headersOf(
      ...COMMON_HEADERS,
      'Link',
      ...(status === 405 ? ['Allow'] : []),
      ...(WITH_RETRY_AFTER.includes(status) ? ['Retry-After'] : []),
      ...(endpoint.idempotency ? ['Idempotent-Replayed'] : []),
    ),
    content: {
      'application/json': {
        schema: refusalSchema(surface, endpoint, statusCodes, found),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const exampleName = (reason: Reason, statusCode: number): string => `${reason}-${statusCode}`;

/** An example answer for each reason and code of a surface, by the name that responses use. */
export const refusalExamples = ({
  surface,
  endpoints,
}: SurfaceRoutes): Record<string, ExampleObject> =>
  Object.fromEntries(
    endpoints.flatMap((endpoint) =>
      reasonsOf(endpoint).map((reason): [string, ExampleObject] => {
        const statusCode = statusCodeOf(reason, surface, endpoint.operation);
        const message = messageOf(reason);
        return [
          exampleName(reason, statusCode),
          { summary: message, value: { success: false, message, statusCode, data: null } },
        ];
      }),
    ),
  );

/** The envelope of a refusal; only partners get data with it (specification 7.1). */
function refusalSchema(
  surface: Surface,
  { failure }: Endpoint,
  statusCodes: readonly number[],
  found: readonly Reason[],
): SchemaObject {
  const data: SchemaObject[] = [];
  if (surface === 'partner' && found.includes('request-invalid')) data.push(ISSUES);
  if (surface === 'partner' && failure) data.push(outputSchema(failure));
  if (surface === 'partner' && found.includes('still-processing')) data.push(RUNNING);
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
        enum: [...statusCodes],
        description: 'The code of the refusal',
      },
      data: {
        description: 'Data for programs besides the code',
        ...(data.length === 0 ? { type: 'null' } : { anyOf: [...data, { type: 'null' }] }),
      },
    },
  };
}

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
