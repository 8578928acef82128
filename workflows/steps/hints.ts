/** Hints that there is news: however many come, the next who waits takes them as one. */
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
