/**
 * Errors in workflows name two frames, which show where they were made. The SDK makes an error for each
 * promise, too, and maps its frames to the sources: a quarter of the CPU of a claim (decision 57). Workers
 * load this module before the first workflow, and workflows cannot change it.
 */
Error.stackTraceLimit = 2;
