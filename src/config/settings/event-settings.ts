import { count, seconds } from '../setting-kinds.ts';

/** The log of events. */
export const eventSettings = {
  EVENT_NUMBERING_SECONDS: seconds
    .default(0.5)
    .describe('Interval at which workers number new events, which makes them visible'),
  EVENT_RETENTION_DAYS: count.default(30).describe('Days that events are kept'),
};
