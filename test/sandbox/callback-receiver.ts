import { json } from 'node:stream/consumers';
import { startRawServer } from '../providers/raw-server.ts';

interface CallbackReceiver {
  readonly url: string;
  /** What was POSTed, in order of arrival. */
  readonly received: unknown[];
  close(): Promise<void>;
}

/** Takes callbacks and answers them with the statuses in turn, the last one again and again. */
export async function startCallbackReceiver(...statuses: number[]): Promise<CallbackReceiver> {
  const received: unknown[] = [];
  const server = await startRawServer((request, response) => {
    json(request).then(
      (body) => {
        received.push(body);
        response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 204).end();
      },
      () => response.destroy(),
    );
  });
  return { url: `${server.url}/callbacks`, received, close: server.close };
}
