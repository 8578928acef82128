import { runToEnd } from './runtime/process/background-tasks.ts';
import { writeWorkflowBundle } from './runtime/temporal/workflow-bundle.ts';

const [file, ...others] = process.argv.slice(2);
if (file === undefined || others.length > 0) {
  process.stderr.write('Usage: node src/bundle-workflows.ts FILE\n');
  process.exit(2);
}
// For the build of an image or a release: workers load the file that WORKFLOW_BUNDLE names.
await runToEnd(() => writeWorkflowBundle(file));
