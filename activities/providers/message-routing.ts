import { addMessageFailover } from '../../src/db/providers/message-failovers.ts';
import { renewSending, type TakenMessage } from '../../src/db/vouchers/message-sendings.ts';
import type { SmsProviderName } from '../../src/domain/providers/provider-names.ts';
import { providersFor } from '../../src/domain/providers/routes.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import type { SmsMessage } from '../../src/providers/sms/sms-sender.ts';
import type { AskedProviders } from '../../workflows/steps/asked-providers.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** The outcome of a message, and who was asked: the last one, and those before. */
interface RoutedOutcome {
  readonly outcome: ProviderOutcome;
  readonly asked: AskedProviders & { readonly provider: SmsProviderName };
  /** Not sent, and nobody that may send it takes calls now. */
  readonly isHopeless: boolean;
}

/**
 * Sends a message by its first provider, and by the next one where that certainly did nothing. A
 * message whose sending is interrupted is never sent again, so a crash in between loses it at most.
 */
export async function sendByRoutes(
  dependencies: ActivityDependencies,
  messageId: number,
  { routes }: Pick<TakenMessage, 'routes'>,
  message: SmsMessage,
): Promise<RoutedOutcome> {
  const { database, smsSenders, digests, operatorLookup } = dependencies;
  const candidates = providersFor(
    routes,
    {
      kind: 'sms',
      operator: await operatorLookup(message.to),
      amount: undefined,
      shareOf: (routeId) => digests.routeShare(`message:${messageId}`, routeId),
    },
    smsSenders,
  );
  const available = candidates.filter((name) => smsSenders.isAvailable(name));
  let [provider, ...others] = available.length > 0 ? available : candidates;
  const failovers: { from: string; message: string }[] = [];
  if (provider === undefined) throw new Error('No provider sends messages');
  for (;;) {
    const outcome = await smsSenders.named(provider).send(message);
    const next = others.shift();
    if (next === undefined || !didNothing(outcome)) {
      const isHopeless =
        outcome.kind === 'not-sent' && !candidates.some((name) => smsSenders.isAvailable(name));
      return { outcome, asked: { provider, failovers }, isHopeless };
    }
    const switched = { messageId, from: provider, to: next, message: outcome.message };
    await Promise.all([addMessageFailover(database, switched), renewSending(database, messageId)]);
    failovers.push({ from: provider, message: outcome.message });
    provider = next;
  }
}

/**
 * Whether a provider certainly did nothing, and another one may do it: the call was not sent, or
 * refused for a reason of the provider.
 */
const didNothing = (
  outcome: ProviderOutcome,
): outcome is Extract<ProviderOutcome, { kind: 'not-sent' | 'refused' }> =>
  outcome.kind === 'not-sent' ||
  (outcome.kind === 'refused' && (outcome.retryCanHelp || outcome.anotherMayTake === true));
