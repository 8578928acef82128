import { readCodecServerConfig } from './config/config.ts';
import { addressGroup, clientAddress, createAddressMatcher } from './http/access/source-address.ts';
import { runProcess } from './runtime/process/background-tasks.ts';
import { createLogger } from './runtime/process/logger.ts';
import { createTokenCheck, startCodecServer } from './runtime/temporal/codec-server.ts';

// Decrypts payloads for the Temporal UI, for authenticated operators.
await runProcess(async () => {
  const config = readCodecServerConfig();
  const logger = createLogger(config.process.logLevel, 'codec-server');
  const isTrustedProxy = createAddressMatcher(config.http.trustedProxies);
  const server = await startCodecServer({
    host: config.http.host,
    port: config.codec.codecServerPort,
    idleTimeoutSeconds: config.http.idleTimeoutSeconds,
    uiOrigins: config.temporal.temporalUiUrl ? [new URL(config.temporal.temporalUiUrl).origin] : [],
    payloadKeys: config.secrets.payloadKeys,
    operators: config.codec.codecServerOperators,
    checkToken: createTokenCheck(config.codec),
    sourceOf(remoteAddress, forwardedFor) {
      const address = clientAddress(remoteAddress, forwardedFor, isTrustedProxy);
      return address === undefined ? undefined : { address, group: addressGroup(address) };
    },
    logger,
  });
  logger.info({ url: server.url }, 'Codec server is listening');
  return { logger, stop: server.stop };
});
