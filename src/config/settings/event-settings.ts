import { constant } from '../setting-kinds.ts';

/** The log of events. */
export const eventSettings = {
  /** Interval at which workers number new events, which makes them visible. */
  EVENT_NUMBERING_SECONDS: constant(0.5),
};
