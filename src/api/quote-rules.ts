import type { Config } from '../config/config.js';
import { routeKindOf } from '../domain/providers/routes.js';
import type { QuoteRules } from '../operations/services.js';
import { choiceFor } from '../providers/provider-choice.js';
import { createAirtimeSet, createOperatorLookup } from '../providers/registry.js';
import { canSendTopup } from '../providers/topup-product.js';
import { operationLimits } from '../worker/activity-limits.js';

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
