import { ConfigError, readDemoConfig } from './config/config.ts';
import {
  createTranscript,
  DemoError,
  failedTopupsUrl,
  listWorkflowLinks,
} from './local/demo/narration.ts';
import { playStory } from './local/demo/stories.ts';
import { type DemoFile, readDemoFile } from './local/start/demo-data.ts';
import { temporalServerOf } from './runtime/temporal/temporal-server.ts';

/** `npm run demo`: plays the stories against a running service, and shows each call. */
async function demonstrate(): Promise<void> {
  const { start, temporal } = readDemoConfig();
  const demo = await demoFileIn(start.dataDir);
  const server = temporalServerOf({ ...temporal, temporalAddress: demo.temporalAddress });
  const startedSince = new Date();
  const transcript = createTranscript(process.stdout);
  await playStory(demo, transcript);

  transcript.chapter('The workflows of this run, as the Temporal UI shows them');
  const links = await listWorkflowLinks({ ...demo, server, startedSince });
  transcript.confirm(links.length > 0, `${links.length} workflows processed the requests`);
  for (const { type, status, url } of links)
    transcript.say(`\n   ${type}, ${status}${url && `\n   ${url}`}`);
  // A Temporal server elsewhere may have no known UI.
  if (!demo.temporalUiUrl) return;
  transcript.say(
    '\n   Failed top-ups waiting for a retry: open one, then More Actions, Send a Signal, retry, ' +
      `Submit\n   ${failedTopupsUrl({ ...demo, server })}`,
  );
}

async function demoFileIn(dataDirectory: string): Promise<DemoFile> {
  const demo = await readDemoFile(dataDirectory);
  if (!demo) {
    throw new DemoError(
      `There is no ${dataDirectory}/demo.json: start the service with "npm start", which writes ` +
        'it, or set DATA_DIR to the folder that it uses.',
    );
  }
  if (demo.sandboxUrl) return demo;
  throw new DemoError(
    'The demo reads codes from the sandbox, but this service uses another SMS provider.',
  );
}

try {
  await demonstrate();
} catch (error) {
  if (!(error instanceof DemoError || error instanceof ConfigError)) throw error;
  process.stderr.write(`\n✗ ${error.message}\n`);
  process.exitCode = 1;
}
