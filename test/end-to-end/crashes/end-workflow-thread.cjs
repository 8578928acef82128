// Loaded before everything else (NODE_OPTIONS), in every thread of a process: ends the one that runs
// the workflows when there is a file of this name.
const { existsSync } = require('node:fs');

const isWorkflowThread = () =>
  Object.keys(require.cache).some((file) => file.endsWith('workflow-worker-thread.js'));

if (!require('node:worker_threads').isMainThread)
  setInterval(() => {
    if (existsSync(process.env.END_WORKFLOW_THREAD) && isWorkflowThread()) process.exit(1);
  }, 50).unref();
