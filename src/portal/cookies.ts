export type PortalCookies = ReturnType<typeof createCookies>;

/**
 * The portal's two cookies: of the session, and of a visit without one, to which the forms of the
 * sign-in page belong. Only the portal gets them, no script reads them, and no other site can make a
 * browser send them. They are Secure unless the portal is on this machine.
 */
export function createCookies(publicUrl: string) {
  const isSecure = !isLoopbackHost(new URL(publicUrl).hostname);
  const prefix = isSecure ? '__Secure-' : '';
  const attributes = `Path=/portal; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const cookie = (purpose: string) => {
    const name = `${prefix}portal-${purpose}`;
    return {
      name,
      /** The value of a Set-Cookie header. */
      set: (value: string) => `${name}=${value}; ${attributes}`,
      clear: () => `${name}=; ${attributes}; Max-Age=0`,
    };
  };
  return { isSecure, session: cookie('session'), visit: cookie('visit') };
}

/** Host names of this machine, as URLs have them. */
const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

const TOKEN = /^[\w-]{43}$/;

/** A cookie's value, where it has the form of our tokens. */
export function readToken(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}
