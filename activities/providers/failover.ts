import { activityInfo, log } from '@temporalio/activity';
import { findChoice, type Placed, switchProvider } from '../../src/db/positions/placements.ts';
import { parseMoney } from '../../src/domain/money.ts';
import {
  type ProviderInquiry,
  type ProviderOutcome,
  unknown,
} from '../../src/providers/outcome.ts';
import { choiceFor } from '../../src/providers/provider-choice.ts';
import type { ProviderSet } from '../../src/providers/provider-set.ts';
import type { AskedProviders } from '../../workflows/steps/asked-providers.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** What a row says of its providers. */
interface AskedRow<Name extends string> {
  readonly provider: Name;
  readonly failovers: AskedProviders['failovers'];
}

/** Who was asked by now, for people. */
export const askedByRow = <Name extends string>({
  provider,
  failovers,
}: AskedRow<Name>): AskedProviders => ({ provider, failovers });

/**
 * Whether nothing can have been sent before: the workflow says so, and no earlier attempt of the
 * activity has begun. An earlier one may be under way still, although Temporal holds it for lost. So any
 * other sending first records the outcome as unknown, and then reads the row: from then on the
 * earlier one goes to no other provider.
 */
export const isFirstSending = (isFirst: boolean): boolean =>
  isFirst && activityInfo().attempt === 1;

/**
 * Asks the provider of a row. One that is no longer configured says nothing: its operations are settled
 * by hand, and keep no others waiting.
 */
export async function askProvider<Name extends string, Port>(
  set: Pick<ProviderSet<Name, Port>, 'names' | 'named'>,
  provider: string,
  ask: (port: Port) => Promise<ProviderInquiry>,
): Promise<ProviderInquiry> {
  const name = set.names.find((one) => one === provider);
  return name === undefined
    ? unknown(`The provider ${provider} is no longer configured.`)
    : ask(set.named(name));
}

/** What is sent, and to whom first. */
interface Sent<Name extends string, Port> {
  readonly placed: Placed;
  readonly set: ProviderSet<Name, Port>;
  readonly row: AskedRow<Name>;
  /** Nothing can have been sent for the operation before: only then another provider may be asked. */
  readonly isFirst: boolean;
  readonly send: (port: Port, name: Name) => Promise<ProviderOutcome>;
  /** Whether another provider can do it. */
  readonly canServe?: (port: Port, name: Name) => boolean;
}

/** What payments and top-ups have in common. */
interface ValuePort {
  readonly repetition: 'safe' | 'later' | 'never';
  canCarry(amount: string): boolean;
}

/**
 * Sends value, and asks the next provider where it did not reach the first. A refusal stays with the
 * provider that refused: it may still do it later, and only the provider of the row is asked about that.
 * The next provider is recorded before it is called, so that after a crash the inquiry goes to
 * whoever may have got it.
 */
export async function sendOrFailOver<Name extends string, Port extends ValuePort>(
  dependencies: ActivityDependencies,
  sent: Sent<Name, Port>,
): Promise<ProviderOutcome & { readonly asked: AskedProviders }> {
  let { provider } = sent.row;
  const failovers = [...sent.row.failovers];
  for (;;) {
    const outcome = await sent.send(sent.set.named(provider), provider);
    const answer = { ...outcome, asked: { provider, failovers } };
    if (!isFirstSending(sent.isFirst) || outcome.kind !== 'not-sent') return answer;
    const next = await nextProvider(dependencies, sent, provider);
    if (next === undefined) return answer;
    const switched = {
      from: provider,
      to: next,
      message: outcome.message,
      // One that never says that it has seen nothing would be asked in vain.
      isAskedLater: sent.set.named(provider).repetition !== 'never',
    };
    if (!(await switchProvider(dependencies.database, sent.placed, switched))) return answer;
    log.warn('A provider did nothing, and the next one is asked', { from: provider, to: next });
    failovers.push({ from: provider, message: outcome.message });
    provider = next;
  }
}

/** The first provider that was not asked yet, can carry it, and takes calls now. */
async function nextProvider<Name extends string, Port extends ValuePort>(
  { database, digests, operatorLookup }: ActivityDependencies,
  { placed, set, canServe = () => true }: Sent<Name, Port>,
  current: Name,
): Promise<Name | undefined> {
  const wanted = await findChoice(database, placed);
  if (!wanted) return undefined;
  const choice = choiceFor(set, {
    kind: wanted.kind,
    routes: wanted.routes,
    operator: wanted.operator ?? (await operatorLookup(wanted.payeeNumber ?? '')),
    canServe: (port, _amount, name) => canServe(port, name),
    shareOf: (routeId) => digests.routeShare(placed.operationId, routeId),
  });
  return choice
    .candidates(parseMoney(wanted.amount))
    .find((name) => name !== current && !wanted.asked.includes(name) && set.isAvailable(name));
}
