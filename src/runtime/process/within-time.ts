/**
 * The result of some work within a time, and otherwise what `late` answers or throws. The work goes on: what becomes
 * of it afterwards is ignored, its failure too.
 */
export function withinTime<Result, Late>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  }).then(late);
  return Promise.race([work, timeIsUp]).finally(() => clearTimeout(timer));
}
