import type { Context } from 'koa';
import type { Logger } from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Where a call comes from. */
interface CallSource {
  readonly address: string;
  /** The unit of the limit: the address, or the network of one customer. */
  readonly group: string;
}

export type SourceOf = (
  remoteAddress: string | undefined,
  forwardedFor: string,
) => CallSource | undefined;

/** A refused sign-in is a wrong password or an invalid token; a person mistypes a few. */
const REFUSALS_PER_MINUTE = 20;

const itself: SourceOf = (address) =>
  address === undefined ? undefined : { address, group: address };

/**
 * Limits how often one address may guess, and logs each refused sign-in: never the credential. A call
 * without a credential is no guess: a browser asks so before it shows its form.
 */
export function createSignInLimit({
  sourceOf = itself,
  refusalsPerMinute = REFUSALS_PER_MINUTE,
  logger,
}: {
  readonly sourceOf?: SourceOf | undefined;
  readonly refusalsPerMinute?: number | undefined;
  readonly logger?: Logger | undefined;
}) {
  const refusals = new RateLimiterMemory({ points: refusalsPerMinute, duration: 60 });
  const sourceOfCall = (context: Context): CallSource =>
    sourceOf(context.req.socket.remoteAddress, context.get('X-Forwarded-For')) ?? {
      address: 'unknown',
      group: 'unknown',
    };

  return {
    /** Ends the call with 429 where its address has guessed too often. */
    async requireLeft(context: Context): Promise<void> {
      const spent = await refusals.get(sourceOfCall(context).group);
      if (spent === null || spent.consumedPoints < refusalsPerMinute) return;
      const seconds = Math.ceil(spent.msBeforeNext / 1_000);
      context.throw(429, 'Too many refused sign-ins', {
        headers: { 'Retry-After': String(seconds) },
      });
    },

    /** Logs a refused sign-in. A token that has expired is no guess, and does not count. */
    async noteRefused(context: Context, { isGuess }: { isGuess: boolean }): Promise<void> {
      if (context.get('Authorization') === '') return;
      const { address, group } = sourceOfCall(context);
      const { consumedPoints } = await refusals.penalty(group, isGuess ? 1 : 0);
      logger?.warn(
        {
          source: address,
          origin: context.get('Origin').slice(0, 200),
          isBlocked: consumedPoints >= refusalsPerMinute,
        },
        'A sign-in was refused',
      );
    },
  };
}
