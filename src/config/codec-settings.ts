import { z } from 'zod';
import { secretSettings } from './secret-settings.js';
import { serviceSettings } from './service-settings.js';
import { commaList } from './setting-kinds.js';
import { startSettings } from './start-settings.js';

/** `name:decode:digest` or `name:encode:digest`; encoding includes decoding. */
const operator = z
  .string()
  .regex(
    /^[\w.@-]{1,60}:(decode|encode):[0-9a-f]{64}$/,
    'must be name:decode:digest or name:encode:digest, with the SHA-256 of a random password',
  )
  .transform((text) => {
    const [name = '', may, digest = ''] = text.split(':');
    return { name, mayEncode: may === 'encode', passwordDigest: Buffer.from(digest, 'hex') };
  });

/** The settings of the codec server as a separate process. */
export const codecSettings = {
  HOST: serviceSettings.HOST,
  CODEC_SERVER_PORT: startSettings.CODEC_SERVER_PORT,
  CODEC_SERVER_OPERATORS: commaList
    .pipe(z.array(operator).min(1, 'must name at least one operator'))
    .refine(
      (operators) => new Set(operators.map(({ name }) => name)).size === operators.length,
      'repeats a name',
    )
    .meta({
      description:
        '`name:decode:digest` or `name:encode:digest`, separated by commas: operators who may ' +
        'decrypt payloads, or also send data with signals and updates. The digest is the SHA-256 ' +
        'of a random password',
      whenUnset: 'required',
    }),
  TEMPORAL_UI_ORIGINS: commaList
    .pipe(
      z.array(
        z
          .url({ protocol: /^https?$/, error: 'must be addresses without a path' })
          .refine((text) => new URL(text).origin === text, 'must be addresses without a path'),
      ),
    )
    .describe(
      'Origins of pages that may call the codec server, such as `https://temporal.example`',
    ),
  PAYLOAD_KEYS: secretSettings.PAYLOAD_KEYS,
  LOG_LEVEL: serviceSettings.LOG_LEVEL,
};
