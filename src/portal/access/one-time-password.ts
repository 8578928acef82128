import { Secret, TOTP } from 'otpauth';
import { encode } from 'uqr';
import { type Html, html, phrase } from '../../rendering/html.ts';

/** As RFC 6238 and the apps have it. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Clocks may differ by one step. */
const WINDOW = 1;

/** A new secret, in base 32 as the apps read it. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

const passwordsOf = (secret: string, label?: string, issuer?: string): TOTP =>
  new TOTP({
    secret: Secret.fromBase32(secret),
    period: PERIOD_SECONDS,
    ...(label === undefined ? {} : { label }),
    ...(issuer === undefined ? {} : { issuer }),
  });

/** The time step that a one-time password is of; undefined where it is of none near now. */
export function stepOf(secret: string, password: string, now = Date.now()): number | undefined {
  const passwords = passwordsOf(secret);
  const delta = passwords.validate({ token: password, window: WINDOW, timestamp: now });
  return delta === null ? undefined : passwords.counter({ timestamp: now }) + delta;
}

/** The link with a secret that apps open, and that the QR code holds. */
export const secretUri = (secret: string, email: string, issuer: string) =>
  passwordsOf(secret, email, issuer).toString();

/** A text as a QR code. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return html`<svg class="qr-code" role="img" aria-label="${phrase(label)}" viewBox="0 0 ${size} ${size}"
 shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`;
}
