import { listProviderStates } from '../../../db/providers/provider-states.ts';
import { lookCommand } from '../../command.ts';
import { column, table, time } from '../../tables.ts';

export const listProviderStatesCommand = lookCommand({
  name: 'list provider-states',
  details:
    'Each worker has a circuit breaker of its own, and tells its state every 10 seconds. ' +
    '"stuck" means that a call waited for a place in vain and none has ended since; "empty" that the ' +
    'provider refused something lately for lack of our money.',
  fields: {},
  examples: ['list provider-states'],
  async look(database) {
    const states = await listProviderStates(database);
    return {
      json: states,
      text: table(states, [
        column('provider', ({ provider }) => provider),
        column('breaker', ({ state }) => state),
        column('since (utc)', ({ since }) => time(since)),
        column('takes calls', ({ takesCalls, state }) => {
          if (takesCalls) return 'yes';
          return state === 'closed' ? 'no: stuck' : 'no';
        }),
        column('our money', ({ hasMoney }) => (hasMoney ? '' : 'empty')),
        column('worker', ({ worker }) => worker),
        column('seen (utc)', ({ seenAt }) => time(seenAt)),
      ]),
    };
  },
});
