import type { z } from 'zod';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

const kinds: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
};

const inCharacters = (bound: string, { origin, limit }: { origin: string; limit: unknown }) =>
  origin === 'string'
    ? `must have ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`
    : `must be ${bound} ${limit}`;

/**
 * The message of an issue for which the schema has none, so that callers never read messages of a
 * library. It never repeats what was sent.
 */
export function issueMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? 'must have another type';
    case 'too_small':
      return inCharacters('at least', { origin: issue.origin, limit: issue.minimum });
    case 'too_big':
      return inCharacters('at most', { origin: issue.origin, limit: issue.maximum });
    case 'invalid_union':
      return 'must be sent once, in another format';
    default:
      return 'must have another format';
  }
}
