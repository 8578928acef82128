import { z } from 'zod';
import { pemOrFile, secret } from './setting-kinds.js';

/** Where Temporal is, and how a process proves there who it is. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: z.string().min(1),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  /** TLS is used wherever one of the settings below is set, too. */
  TEMPORAL_TLS: z.enum(['on', 'off']).default('off'),
  /** Who signs the server's certificate; the system's authorities where it is not set. */
  TEMPORAL_TLS_CA: pemOrFile.optional(),
  /** The certificate and the key of this service. */
  TEMPORAL_TLS_CERT: pemOrFile.optional(),
  TEMPORAL_TLS_KEY: pemOrFile.optional(),
  /** The name in the server's certificate, where it is not that of the address. */
  TEMPORAL_TLS_SERVER_NAME: z.string().min(1).optional(),
  TEMPORAL_API_KEY: secret.optional(),
};
