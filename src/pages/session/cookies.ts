/** A year. */
const DEVICE_SECONDS = 31_536_000;

export type PageCookies = ReturnType<typeof createCookies>;

/**
 * The cookies of a site. One is the session. One is a visit without a session, which the forms of
 * the sign-in page belong to. One is half a sign-in, between password and second factor. One is the language
 * of its pages. One is the device, which only separates guesses from the person's own attempts
 * (session.ts). Scripts cannot read them, and other sites cannot make a browser send them. They are
 * Secure unless the site runs on this machine; then no other host of the domain can set them
 * (`__Host-`).
 */
export function createCookies(publicUrl: string, { basePath }: { readonly basePath: string }) {
  const isSecure = !isLoopbackHost(new URL(publicUrl).hostname);
  const prefix = isSecure ? '__Host-' : '';
  const attributes = isSecure
    ? 'Path=/; HttpOnly; SameSite=Lax; Secure'
    : `Path=${basePath}; HttpOnly; SameSite=Lax`;
  const cookie = (purpose: string, lifetime = '') => {
    const name = `${prefix}${basePath.slice(1)}-${purpose}`;
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
    half: cookie('half'),
    language: cookie('language', `; Max-Age=${DEVICE_SECONDS}`),
    device: cookie('device', `; Max-Age=${DEVICE_SECONDS}`),
  };
}

/** Host names of this machine in the form of URLs. */
const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

/** The values of a cookie, as the browser has sent them. */
export const cookieValues = (header: string | undefined, name: string): string[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));

const TOKEN = /^[\w-]{43}$/;

/**
 * A cookie's value in the format of our tokens. Undefined where the cookie appears with two values,
 * because somebody else has set one of them.
 */
export function readToken(header: string | undefined, name: string): string | undefined {
  const [value, ...others] = new Set(cookieValues(header, name));
  return value !== undefined && others.length === 0 && TOKEN.test(value) ? value : undefined;
}
