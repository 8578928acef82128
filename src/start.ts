import { createStops } from './local/start/stops.ts';
import { runProcess } from './runtime/process/background-tasks.ts';
import { createProgress } from './runtime/process/progress.ts';

// `npm start`: the whole stack on one machine. It uses the servers that the settings
// name and starts the rest: PostgreSQL, the Temporal server with its UI, the sandbox, worker and
// API.
process.stdout.write('Starting PostgreSQL, Temporal, the sandbox and the service\n');
await runProcess(async () => {
  const progress = createProgress();
  const stops = createStops();
  try {
    // It takes a second to load: the line above comes before.
    const { startStack } = await import('./local/start/stack.ts');
    const { ended } = await startStack(progress, stops);
    return { ended, stop: () => progress.step('Stopping', () => stops.run()) };
  } catch (error) {
    await stops.run();
    throw error;
  }
});
