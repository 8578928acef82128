/** The callback address for a provider, including its secret. */
export const callbackUrlOf = (url: string | undefined, secret: string): string | undefined =>
  url === undefined || secret === '' ? url : `${url.replace(/\/+$/, '')}/${secret}`;
