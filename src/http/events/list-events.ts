import { z } from 'zod';
import { readEvents } from '../../db/events/event-log.ts';
import { eventId, eventTypesOf } from '../../domain/event-types.ts';
import { refuse, type Surface } from '../../domain/refusals.ts';
import { endpoint } from '../endpoint.ts';
import { reply } from '../envelope.ts';
import { textAnswer } from '../fields/answer-fields.ts';
import { CURSOR_PATTERN, cursorField, encodeCursor } from './event-cursor.ts';
import { eventOf } from './event-schemas.ts';

const MAXIMUM_LIMIT = 100;
const DEFAULT_LIMIT = 50;

const limitField = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(1)
  .max(MAXIMUM_LIMIT)
  .default(DEFAULT_LIMIT)
  .meta({ description: 'Most events of the answer', examples: [DEFAULT_LIMIT] });

const CURSOR = encodeCursor({ epoch: '0a1b2c3d4e5f', number: 4711 });

/** Lists the events of a company, oldest first (beyond the specification). */
export const listEvents = (surface: Surface) => {
  const type = z
    .enum(eventTypesOf(surface), 'must be a type of event')
    .meta({ title: 'EventType' });
  return endpoint({
    method: 'GET',
    path: '/events',
    operation: 'list-events',
    summary: 'List events',
    description:
      'What has happened to what is yours, oldest first, for 30 days. Keep `next` and send it as ' +
      '`after`: no event is left out, and none comes twice. New types may be added: ignore those ' +
      'that you do not know.',
    access: 'token',
    scope: 'read',
    query: z.object({
      after: cursorField.optional().meta({
        description: '`next` of an earlier answer; without it, the oldest event that is kept',
        examples: [CURSOR],
      }),
      limit: limitField,
      type: z
        .union([type, z.array(type).max(20)], 'must be a type of event')
        .optional()
        .meta({
          description: 'Only events of this type; repeatable',
          examples: [eventTypesOf(surface)[0]],
        }),
    }),
    answer: z.object({
      events: z.array(eventOf(surface)).meta({ description: 'The events, oldest first' }),
      next: textAnswer('The cursor of the next call, also where there is no event', CURSOR).meta({
        pattern: CURSOR_PATTERN,
      }),
      hasMore: z
        .boolean()
        .meta({ description: 'Whether there are more: call again at once', examples: [false] }),
    }),
    reasons: ['cursor-outdated'],
    async handle({ services, company, query: { after, limit, type: types } }) {
      const query = { after, limit, types: types && [types].flat() };
      const page = await services.lists.read(company, (database) =>
        readEvents(database, company, query),
      );
      if (!page) return refuse('unavailable', { retryAfterSeconds: 1 });
      if (page === 'outdated') return refuse('cursor-outdated');
      const events = page.events.map(({ number, ...event }) => ({
        id: eventId(number),
        ...event,
      }));
      return reply(
        { events, next: encodeCursor(page.next), hasMore: page.hasMore },
        { message: 'Events' },
      );
    },
  });
};
