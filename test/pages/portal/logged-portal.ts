import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createPasswordHashes } from '../../../src/crypto/password-hashes.ts';
import { createApp } from '../../../src/http/app.ts';
import { portalSite } from '../../../src/pages/portal/routes.ts';
import { createSite } from '../../../src/pages/site.ts';
import { type Stack, TEST_PASSWORD_COST } from '../../support/stack.ts';

export type LoggedPortal = Awaited<ReturnType<typeof startLoggedPortal>>;

/** A second server with the portal of a stack, all of whose log is read; one address signs in so often. */
export async function startLoggedPortal({ api }: Stack, perAddress: number) {
  let log = '';
  const logger = pino({ level: 'trace' }, { write: (line: string) => (log += line) });
  const { settings } = api.services;
  const portalSettings = { ...settings.portal, portalSignInsPerAddress: perAddress };
  const services = { ...api.services, logger, settings: { ...settings, portal: portalSettings } };
  const portal = createSite(portalSite, services, createPasswordHashes(TEST_PASSWORD_COST, 1));
  const server = createApp(services, [], [portal]).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: () => log,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
