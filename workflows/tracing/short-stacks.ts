/**
 * Errors in workflows name one place: where they were thrown. The SDK makes a stack of each promise, too,
 * mapped to the sources frame by frame, which was a third of the CPU of a claim's workflow (decision 57).
 * Workers load this module before the first workflow, and workflows cannot change it.
 */
Error.stackTraceLimit = 1;
