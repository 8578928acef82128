import { readCodecServerConfig } from './config/config.ts';
import { codecTokensOf } from './config/settings/codec-settings.ts';
import { addressGroup, clientAddress, createAddressMatcher } from './http/access/source-address.ts';
import { runProcess } from './runtime/process/background-tasks.ts';
import { createLogger } from './runtime/process/logger.ts';
import { createTokenCheck, startCodecServer } from './runtime/temporal/codec-server.ts';

// Decrypts payloads for the Temporal UI, for authenticated operators.
await runProcess(async () => {
  const config = readCodecServerConfig();
  const logger = createLogger(config.LOG_LEVEL, 'codec-server');
  const tokens = codecTokensOf(config);
  const isTrustedProxy = createAddressMatcher(config.TRUSTED_PROXIES);
  const server = await startCodecServer({
    host: config.HOST,
    port: config.CODEC_SERVER_PORT,
    uiOrigins: config.TEMPORAL_UI_URL ? [new URL(config.TEMPORAL_UI_URL).origin] : [],
    payloadKeys: config.PAYLOAD_KEYS,
    operators: config.CODEC_SERVER_OPERATORS,
    checkToken: tokens && createTokenCheck(tokens),
    sourceOf(remoteAddress, forwardedFor) {
      const address = clientAddress(remoteAddress, forwardedFor, isTrustedProxy);
      return address === undefined ? undefined : { address, group: addressGroup(address) };
    },
    logger,
  });
  logger.info({ url: server.url }, 'Codec server is listening');
  return server;
});
