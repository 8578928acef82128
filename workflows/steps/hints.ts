/** How many hints a workflow follows at once. */
export interface HintLimit {
  readonly maximumHints: number;
}

/**
 * Collects hints; the next waiter takes all of them as one. Each that is followed adds an attempt to the
 * history of the workflow: once `maximum` were, its own pauses decide.
 */
export function createHints(maximum: number) {
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
