// Preloaded by tests: writes to standard error which modules a process had loaded when it first wrote to
// standard output, and ends the process before it starts or changes anything.
import { registerHooks } from 'node:module';

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});

process.stdout.write = () => {
  process.stderr.write(`${JSON.stringify(loaded)}\n`);
  process.exit();
};
