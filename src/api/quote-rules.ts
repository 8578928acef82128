import type { Config } from '../config/config.js';
import type { QuoteRules } from '../operations/services.js';
import { createAirtime, createOperatorLookup } from '../providers/registry.js';
import { operationLimits } from '../worker/activity-limits.js';

/** The rules of quotes: those that activities of generations and top-ups get from the settings. */
export function quoteRules(config: Config): QuoteRules {
  const { canCarry } = createAirtime(config);
  return { ...operationLimits(config), operatorLookup: createOperatorLookup(), canCarry };
}
