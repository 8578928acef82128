import { runAdmin } from './admin/run-admin.ts';

// A reader that stops early, such as `head`, closes the pipe, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// `npm run admin`: the operator's commands.
process.exitCode = await runAdmin(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
});
