// CommonJS, because a thread of its own runs it as it is, in the tests too.
const { scryptSync } = require('node:crypto');
const os = require('node:os');
const { parentPort } = require('node:worker_threads');

// Half the weight of a thread that answers requests. Linux counts it for the calling thread alone.
const NICER_BY = 3;
if (process.platform === 'linux') {
  try {
    os.setPriority(0, Math.min(19, os.getPriority(0) + NICER_BY));
  } catch {
    // Where that is not allowed, hashing runs like everything else.
  }
}

parentPort.on('message', ({ text, salt, length, options }) => {
  try {
    parentPort.postMessage({ key: scryptSync(text, salt, length, options) });
  } catch (error) {
    parentPort.postMessage({ problem: String(error) });
  }
});
