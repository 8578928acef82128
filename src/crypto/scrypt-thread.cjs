// CommonJS, because a thread of its own runs it as it is, in the tests too.
const { scryptSync } = require('node:crypto');
const os = require('node:os');
const { parentPort, workerData } = require('node:worker_threads');

// Linux counts this for the calling thread alone.
if (workerData.nicerBy > 0 && process.platform === 'linux') {
  try {
    os.setPriority(0, Math.min(19, os.getPriority(0) + workerData.nicerBy));
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
