import { checkProvidersCommand } from './check-providers.js';
import { routeCommands } from './routes.js';

/** The commands for providers, in the order of help. */
export const providerCommands = [...routeCommands, checkProvidersCommand];
