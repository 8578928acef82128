import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueMessage } from '../../../src/http/body/validation.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';

const CANARY = 'canary';

describe('issueMessage', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, 'must be text'],
    [z.string(), 5, 'must be text'],
    [z.number(), 'x', 'must be a number'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.boolean(), 'x', 'must be true or false'],
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.string().max(3), CANARY, 'must have at most 3 characters'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().max(9), 10, 'must be at most 9'],
    [z.union([z.string(), z.number()]), {}, 'must be sent once, in another format'],
    [z.enum(['A', 'B']), CANARY, 'must be one of A, B'],
    [z.string().regex(/^x$/), CANARY, 'must have another format'],
    [z.string('must be the key as text'), 5, 'must be the key as text'],
  ])('describes what is wrong (%#)', (schema, sent, message) => {
    const result = schema.safeParse(sent, { error: issueMessage });
    expect(result.error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

describe.each([partnerRoutes, merchantRoutes])('every schema of the $surface API', (routes) => {
  const schemas = routes.endpoints.flatMap(({ method, path, body, query, params }) =>
    [body, query, params].flatMap((schema) =>
      schema ? [[`${method} ${path}`, schema] as const] : [],
    ),
  );
  const values = [undefined, null, 0, -1, 1.5, '', CANARY, CANARY.repeat(9_999), [], {}, [CANARY]];

  it.each(schemas)('%s describes a wrong field in words of ours', (_name, schema) => {
    const shape = shapeOf(schema);
    for (const value of values) {
      const sent = Object.fromEntries(shape.map((name) => [name, value]));
      const result = schema.safeParse(sent, { error: issueMessage });
      for (const { message } of result.error?.issues ?? []) {
        expect(message).toMatch(/^must /);
        expect(message).not.toMatch(/canary|Invalid|expected|received/);
      }
    }
  });
});

/** The names of a schema's fields. */
function shapeOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
