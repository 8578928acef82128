/** The moments at which a test may kill the worker (faults.md): after each step of a top-up. */
export const topupFailpoints = [
  'topup-before-hold',
  'topup-held',
  'topup-sending',
  'topup-done-not-recorded',
  'topup-recorded',
] as const;

export type FailpointName = (typeof topupFailpoints)[number];

/** Told of each step; does nothing but in a process that a test has set a failpoint for. */
export type Failpoint = (name: FailpointName) => void;

/** Kills this process without warning when it comes to the named step. */
export const createFailpoint =
  (armed: string | undefined): Failpoint =>
  (name) => {
    if (name === armed) process.kill(process.pid, 'SIGKILL');
  };
