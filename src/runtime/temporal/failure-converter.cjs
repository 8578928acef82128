// CommonJS, because Temporal loads it by path both into the process and into the workflow bundle.
const { DefaultFailureConverter } = require('@temporalio/common');

// Messages and stack traces of failures go through the payload codec as well.
exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
