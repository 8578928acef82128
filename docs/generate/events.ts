import { type EventType, eventTypes } from '../../src/domain/events.ts';
import { eventSchema, subjectExample } from '../../src/http/events.ts';
import { code, GENERATED, page, table } from './markdown.ts';
import { fieldsOf } from './shape.ts';

const types = Object.keys(eventTypes) as EventType[];

const overview = (): string =>
  table(
    ['Type', 'Meaning', 'Told to', 'Subject'],
    types.map((type) => {
      const { meaning, owners } = eventTypes[type];
      return [
        `[${code(type)}](#${type.replace('.', '')})`,
        meaning,
        owners.join(', '),
        code(subjectExample(type)),
      ];
    }),
  );

function section(type: EventType): string[] {
  const fields = fieldsOf(eventSchema(type).shape.data).map(({ name, meaning }) => [
    code(name),
    meaning,
  ]);
  return [`### ${type}`, table(['Field of `data`', 'Meaning'], fields)];
}

/** docs/reference/events.md, from the types and the schemas of their facts. */
export const eventsPage = (): string =>
  page(
    GENERATED,
    '# Events',
    'The sources are `src/domain/events.ts` and `src/http/events.ts`. Triggers write an event in the ' +
      'transaction that makes it true ([database](database.md#events)). [Follow events](../guides/integrate/follow-events.md) tells ' +
      'integrators how to read them.',
    'Every event has `id`, `type`, `createdAt`, `subject` and `data`. Its `data` has the facts at that moment: amounts as ' +
      'decimal strings, phone numbers partly masked, never a code. Events of one subject come in their order.',
    '## Types',
    overview(),
    '## Facts',
    ...types.flatMap(section),
  );
