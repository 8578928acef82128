import { join } from 'node:path';
import { readSandboxConfig } from './config/config.ts';
import { localPortsOf } from './config/local-ports.ts';
import { addMobilePrefixes } from './domain/phone.ts';
import { runProcess } from './runtime/process/background-tasks.ts';
import { BOOKS_FILE } from './sandbox/books.ts';
import { startSandbox } from './sandbox/start-sandbox.ts';

// The simulated providers as a process of their own, for docker-compose.
await runProcess(async () => {
  const config = readSandboxConfig();
  const ports = localPortsOf(config);
  addMobilePrefixes(config.MOBILE_PREFIXES);
  const sandbox = await startSandbox({
    port: ports.sandbox,
    smtpPort: ports.smtp,
    smppPort: ports.smpp,
    booksFile: config.DATA_DIR && join(config.DATA_DIR, BOOKS_FILE),
    smsReportUrl: config.SANDBOX_SMS_REPORT_URL,
    host: config.HOST,
    delayScale: config.SANDBOX_DELAY_SCALE,
  });
  return { stop: sandbox.close };
});
