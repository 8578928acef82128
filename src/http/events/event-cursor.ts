import { z } from 'zod';
import type { LogPosition } from '../../db/events/event-log.ts';

/** A place in the log as an opaque text. */
export const encodeCursor = ({ epoch, number }: LogPosition): string =>
  Buffer.from(`${epoch} ${number}`).toString('base64url');

/** What a cursor looks like to callers: the base64url of the text that is read below. */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]{19,38}$';

const PLAIN = /^([0-9a-f]{12}) (0|[1-9][0-9]{0,14})$/;

/** A cursor of an earlier answer; validation yields the place. */
export const cursorField = z
  .string('must be a cursor, as `next` of an answer')
  .max(100)
  .transform((text, context): LogPosition => {
    const [, epoch, number] = PLAIN.exec(Buffer.from(text, 'base64url').toString()) ?? [];
    // Other texts decode to the same bytes.
    if (epoch && number && encodeCursor({ epoch, number: Number(number) }) === text)
      return { epoch, number: Number(number) };
    context.addIssue('must be a cursor, as `next` of an answer');
    return z.NEVER;
  })
  .meta({ pattern: CURSOR_PATTERN });
