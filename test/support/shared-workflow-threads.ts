import { Worker } from '@temporalio/worker';

/** The value that was made for a key; the first call makes it. */
function once<Value>(made: Map<string, Value>, key: string, make: () => Value): Value {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}

/** Reaches what the SDK keeps for its subclasses. */
export class SharedWorkflowThreads extends Worker {
  /**
   * From now on all workers of this process with one bundle file share the thread that runs its workflows. The start
   * of a thread, and reading the bundle, are four fifths of the CPU of this process at the start of a stack.
   */
  static install(): void {
    const { getOrCreateBundle, createWorkflowCreator } = Worker;
    const bundles = new Map<string, ReturnType<typeof getOrCreateBundle>>();
    const threads = new Map<string, ReturnType<typeof createWorkflowCreator>>();
    const fileOf = ({ workflowBundle }: Parameters<typeof getOrCreateBundle>[0]) =>
      workflowBundle && 'codePath' in workflowBundle ? workflowBundle.codePath : undefined;

    Worker.getOrCreateBundle = (options, logger) => {
      const file = fileOf(options);
      const read = () => getOrCreateBundle.call(Worker, options, logger);
      return file === undefined ? read() : once(bundles, file, read);
    };

    Worker.createWorkflowCreator = (bundle, options, logger) => {
      const file = fileOf(options);
      const start = createWorkflowCreator.bind(Worker, bundle);
      if (file === undefined) return start(options, logger);
      return once(threads, file, async () => {
        // Activities of all workers: a worker itself refuses those that it does not have.
        const activities = new Map([['default', async () => undefined]]);
        const thread = await start({ ...options, activities }, logger);
        return Object.assign(thread, { destroy: async () => undefined });
      });
    };
  }
}
