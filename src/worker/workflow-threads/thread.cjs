// What a thread of workflows loads first: decision 59 says why.
const { Script } = require('node:vm');
const { workerData } = require('node:worker_threads');

// Odd while workflows run.
const turns = new Int32Array(workerData.turns);
const { runInContext } = Script.prototype;
Script.prototype.runInContext = function (context, { timeout, ...options } = {}) {
  Atomics.add(turns, 0, 1);
  try {
    return runInContext.call(this, context, options);
  } finally {
    Atomics.add(turns, 0, 1);
  }
};

require(workerData.file);
