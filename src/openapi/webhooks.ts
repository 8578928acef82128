import type { ParameterObject, PathItemObject, SchemaObject } from 'openapi3-ts/oas31';
import type { ZodType } from 'zod';
import { eventTypes, eventTypesOf, TEST_EVENT_TYPE } from '../domain/events.ts';
import type { Surface } from '../domain/refusals.ts';
import { eventSchema, eventTitle, testEventSchema } from '../http/events.ts';
import { outputSchema } from './schemas.ts';

/** The messages to the receivers of a surface's companies, by their type. */
export const webhooksOf = (surface: Surface): Record<string, PathItemObject> => ({
  ...Object.fromEntries(
    eventTypesOf(surface).map((type) => [
      type,
      messageOf(type, eventSchema(type), eventTypes[type].meaning),
    ]),
  ),
  [TEST_EVENT_TYPE]: messageOf(
    TEST_EVENT_TYPE,
    testEventSchema,
    'You asked for a test; it is sent once and is in no list',
  ),
});

const messageOf = (type: string, event: ZodType, meaning: string): PathItemObject => {
  const schema = outputSchema(event);
  return {
    post: {
      operationId: `on${eventTitle(type)}`,
      summary: type,
      description: `${meaning}.`,
      // The signature tells the receiver who sends.
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: exampleOf(schema) } },
      },
      responses: {
        '2XX': { description: 'The receiver has stored the event' },
        default: {
          description: 'The receiver has not got it: it is sent again, for three days',
        },
      },
    },
  };
};

const header = (name: string, description: string, schema: SchemaObject): ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});

/** Those of Standard Webhooks. */
const HEADERS: ParameterObject[] = [
  header('webhook-id', '`id` of the event, the same in every repetition: discard what you have', {
    examples: ['evt_4711'],
  }),
  header('webhook-timestamp', 'When the message was sent, in Unix seconds', {
    pattern: '^[0-9]+$',
    examples: ['1795685400'],
  }),
  header(
    'webhook-signature',
    '`v1,` and HMAC-SHA256 in base64 of `webhook-id`, `webhook-timestamp` and the body, with dots ' +
      'between them; the key is what follows `whsec_` in the secret, in base64. Several signatures have ' +
      'a space between them',
    {
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
      examples: ['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    },
  ),
];

/** The value that a schema's own examples make. */
export function exampleOf(schema: SchemaObject): unknown {
  const { properties, anyOf = [], examples = [] } = schema;
  if (schema.const !== undefined) return schema.const;
  if (examples.length > 0) return examples[0];
  if (schema.enum) return schema.enum[0];
  if (anyOf[0]) return exampleOf(anyOf[0] as SchemaObject);
  if (!properties) throw new Error(`A field has no example: ${JSON.stringify(schema)}`);
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, exampleOf(field as SchemaObject)]),
  );
}
