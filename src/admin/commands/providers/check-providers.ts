import { allProviders } from '../../../domain/providers/routes.ts';
import { checkProvider } from '../../../providers/check-provider.ts';
import type { AdminCommand } from '../../command.ts';
import { column, table } from '../../tables.ts';

export const checkProvidersCommand: AdminCommand = {
  name: 'check providers',
  details:
    'Says of each provider whether it is configured, reachable, and accepts our credentials. It moves ' +
    'no money and sends no message. It uses the settings of this command, so run it with those of the ' +
    'worker process. A provider that fails makes the exit code 2.',
  fields: {},
  examples: ['check providers', 'check providers --json'],
  async run(context) {
    const ports = await context.providerPorts();
    const defaults = context.defaultProviders();
    const rows = await Promise.all(
      allProviders.map(async (provider) => {
        const port = ports.find(({ name }) => name === provider)?.port;
        if (!port)
          return defaults.includes(provider)
            ? { provider, result: 'FAILED', detail: 'not configured, and the default of its kind' }
            : { provider, result: '', detail: 'not configured' };
        const { ok, detail } = await checkProvider(port).finally(() => port.close?.());
        return { provider, result: ok ? 'ok' : 'FAILED', detail };
      }),
    );
    return {
      json: rows,
      text: table(rows, [
        column('provider', ({ provider }) => provider),
        column('result', ({ result }) => result),
        column('detail', ({ detail }) => detail),
      ]),
      exitCode: rows.some(({ result }) => result === 'FAILED') ? 2 : 0,
    };
  },
};
