/** Histories are recorded and replayed with this key; it protects nothing but synthetic data. */
export const TEST_PAYLOAD_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
