/** Collects hints; the next waiter takes all of them as one. */
export function createHints() {
  let isHinted = false;
  return {
    give: (): void => {
      isHinted = true;
    },
    take: (): boolean => {
      const taken = isHinted;
      isHinted = false;
      return taken;
    },
  };
}
