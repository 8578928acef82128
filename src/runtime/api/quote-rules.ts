import type { Config } from '../../config/config.ts';
import { routeKindOf } from '../../domain/providers.ts';
import type { QuoteRules } from '../../operations/quotes.ts';
import { canSendTopup } from '../../providers/airtime/airtime.ts';
import { choiceFor, createAirtimeSet, createOperatorLookup } from '../../providers/provider-set.ts';
import { operationLimits } from '../worker/activity-limits.ts';

/** The rules of quotes: those that activities of generations and top-ups get from the settings. */
export function quoteRules(config: Config): QuoteRules {
  const airtime = createAirtimeSet(config);
  return {
    ...operationLimits(config),
    operatorLookup: createOperatorLookup(),
    canCarry({ kind, routes, operator, providerProductId }, amount) {
      const { candidates } = choiceFor(airtime, {
        kind: routeKindOf(kind),
        routes,
        operator,
        canServe: canSendTopup(kind, providerProductId, operator),
        // Whether anybody can carry it depends on no share.
        shareOf: () => 0.5,
      });
      return candidates(amount).length > 0;
    },
  };
}
