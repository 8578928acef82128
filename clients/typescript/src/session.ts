/** A token is renewed before its last tenth. */
const USED_PART = 0.9;

interface Token {
  readonly value: string;
  /** Of `performance.now()`: a clock that nobody sets. */
  readonly renewedAt: number;
}

/** The access token of a client: got at the first call, renewed before it ends, shared by all calls. */
export class Session {
  readonly #logIn: () => Promise<string>;
  #token: Promise<Token> | undefined;

  /** @param logIn exchanges the API key for a token */
  constructor(logIn: () => Promise<string>) {
    this.#logIn = logIn;
  }

  /** A token that is still valid, as far as this side can tell. */
  async token(): Promise<string> {
    const running = this.#token;
    const known = await running?.catch(() => undefined);
    if (known && performance.now() < known.renewedAt) return known.value;
    // Another call may have begun to log in while this one waited.
    if (this.#token === running || !this.#token) this.#token = this.#renew();
    return (await this.#token).value;
  }

  /** Forgets a token that the service has refused, unless it is renewed already. */
  async forget(refused: string): Promise<void> {
    const running = this.#token;
    const known = await running?.catch(() => undefined);
    if (known?.value === refused && this.#token === running) this.#token = undefined;
  }

  async #renew(): Promise<Token> {
    const startedAt = performance.now();
    const value = await this.#logIn();
    return { value, renewedAt: startedAt + lifetimeMilliseconds(value) * USED_PART };
  }
}

/** From the times in the token: the difference does not depend on this machine's clock. */
function lifetimeMilliseconds(token: string): number {
  try {
    const [, claims = ''] = token.split('.');
    const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return Number.isFinite(exp - iat) ? (exp - iat) * 1_000 : Number.POSITIVE_INFINITY;
  } catch {
    // A token of another form is used until it is refused.
    return Number.POSITIVE_INFINITY;
  }
}
