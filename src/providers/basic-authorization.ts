/** The value of an `Authorization` header by HTTP Basic. */
export const basicAuthorization = (key: string, secret: string): string =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
