import { readCodecServerConfig } from './config/config.js';
import { codecTokensOf } from './config/settings/codec-settings.js';
import { addressGroup, clientAddress, createAddressMatcher } from './http/access/source-address.js';
import { createLogger } from './process/logger.js';
import { runProcess } from './process/termination.js';
import { startCodecServer } from './temporal/codec/codec-server.js';
import { createTokenCheck } from './temporal/codec/codec-tokens.js';

// Decrypts payloads for the Temporal UI, for authenticated operators.
await runProcess(async () => {
  const config = readCodecServerConfig();
  const logger = createLogger(config.LOG_LEVEL, 'codec-server');
  const tokens = codecTokensOf(config);
  const isTrustedProxy = createAddressMatcher(config.TRUSTED_PROXIES);
  const server = await startCodecServer({
    host: config.HOST,
    port: config.CODEC_SERVER_PORT,
    uiOrigins: config.TEMPORAL_UI_ORIGINS,
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
