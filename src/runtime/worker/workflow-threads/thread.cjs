// What a thread of workflows loads first: decision 10 says why.
const { promiseHooks } = require('node:v8');
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

// Node.js 24 keeps the asynchronous context of workflows without the SDK's hook of promises.
promiseHooks.createHook = () => () => {};

require(workerData.file);
