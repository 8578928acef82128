/** How the time of a life grows with the rate: a part that it waits anyway, and work on cores that all lives share. */
export interface QueueModel {
  /** Lives a second that occupy all cores. */
  readonly highestRate: number;
  readonly cores: number;
  /** Milliseconds that do not depend on the rate: the disk, the network, timers. */
  readonly waitMs: number;
  /** Milliseconds of CPU on the way from the first call to the last answer. */
  readonly workMs: number;
}

/** Mean milliseconds of a life at a rate. */
export interface TimeAtRate {
  readonly rate: number;
  readonly meanMs: number;
}

type Cores = Pick<QueueModel, 'highestRate' | 'cores'>;

/**
 * How many times longer work takes at a rate than on idle cores: waiting in a queue with several servers, by
 * Sakasegawa's approximation (An approximation formula L_q = α·ρ^β/(1-ρ), 1977).
 */
function stretch({ highestRate, cores }: Cores, rate: number): number {
  const load = rate / highestRate;
  return 1 + load ** (Math.sqrt(2 * (cores + 1)) - 1) / (cores * (1 - load));
}

/** The model that has these times at two rates. */
export function fitQueue(cores: Cores, [low, high]: readonly [TimeAtRate, TimeAtRate]): QueueModel {
  const [atLow, atHigh] = [stretch(cores, low.rate), stretch(cores, high.rate)];
  const workMs = (high.meanMs - low.meanMs) / (atHigh - atLow);
  return { ...cores, workMs, waitMs: low.meanMs - workMs * atLow };
}

/** The mean milliseconds that a life takes at a rate, by the model. */
export const predictMs = (model: QueueModel, rate: number): number =>
  model.waitMs + model.workMs * stretch(model, rate);
