import type { Config } from '../config/config.js';
import type { QuoteRules } from '../operations/services.js';
import { createAirtimeSet, createOperatorLookup } from '../providers/registry.js';
import { operationLimits } from '../worker/activity-limits.js';

/** The rules of quotes: those that activities of generations and top-ups get from the settings. */
export function quoteRules(config: Config): QuoteRules {
  const { canCarry } = createAirtimeSet(config).named(null);
  return { ...operationLimits(config), operatorLookup: createOperatorLookup(), canCarry };
}
