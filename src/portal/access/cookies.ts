/** A year. */
const DEVICE_SECONDS = 31_536_000;

export type PortalCookies = ReturnType<typeof createCookies>;

/**
 * The portal's cookies: of the session; of a visit without one, to which the forms of the sign-in
 * page belong; and of the device, which only tells guesses from its person's own (device.ts). No
 * script reads them, and no other site can make a browser send them. They are Secure unless the
 * portal is on this machine, and then no other host of the domain can set one (`__Host-`).
 */
export function createCookies(publicUrl: string) {
  const isSecure = !isLoopbackHost(new URL(publicUrl).hostname);
  const prefix = isSecure ? '__Host-' : '';
  const attributes = isSecure
    ? 'Path=/; HttpOnly; SameSite=Lax; Secure'
    : 'Path=/portal; HttpOnly; SameSite=Lax';
  const cookie = (purpose: string, lifetime = '') => {
    const name = `${prefix}portal-${purpose}`;
    return {
      name,
      /** The value of a Set-Cookie header. */
      set: (value: string) => `${name}=${value}; ${attributes}${lifetime}`,
      clear: () => `${name}=; ${attributes}; Max-Age=0`,
    };
  };
  return {
    isSecure,
    session: cookie('session'),
    visit: cookie('visit'),
    device: cookie('device', `; Max-Age=${DEVICE_SECONDS}`),
  };
}

/** Host names of this machine, as URLs have them. */
const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

const TOKEN = /^[\w-]{43}$/;

/**
 * A cookie's value, where it has the form of our tokens. Undefined where it comes with two values:
 * somebody else has set one of them, and nobody knows which.
 */
export function readToken(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const named = pairs.filter((pair) => pair.startsWith(`${name}=`));
  const [value, ...others] = new Set(named.map((pair) => pair.slice(name.length + 1)));
  return value !== undefined && others.length === 0 && TOKEN.test(value) ? value : undefined;
}
