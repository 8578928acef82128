import { createLogger, installTemporalRuntime } from '../../src/runtime/process/logger.ts';
import { SharedWorkflowThreads } from './shared-workflow-threads.ts';

/** Test files share a process, and a process has one native runtime. */
const installed = globalThis as { hasTemporalRuntime?: boolean };

if (!installed.hasTemporalRuntime) {
  installTemporalRuntime(createLogger('silent', 'test'));
  SharedWorkflowThreads.install();
}
installed.hasTemporalRuntime = true;
