/** How many hints a workflow follows at once; older ones follow all. */
export interface HintLimit {
  readonly maximumHints?: number;
}

/**
 * Collects hints; the next waiter takes all of them as one. Each that is followed adds an attempt to the
 * history of the workflow: once `maximum` were, its own pauses decide. Older workflows have no maximum.
 */
export function createHints(maximum = Number.POSITIVE_INFINITY) {
  let isHinted = false;
  let followed = 0;
  return {
    give: (): void => {
      isHinted = true;
    },
    take: (): boolean => {
      const taken = isHinted && followed < maximum;
      isHinted = false;
      if (taken) followed += 1;
      return taken;
    },
  };
}
