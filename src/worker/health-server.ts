import { answerHealth, type Health } from '../process/health.ts';
import { type SmallServer, startSmallServer } from '../process/small-server.ts';

/** Answers the health of a worker, which has no other server. */
export const startHealthServer = (
  readReport: Health['read'],
  options: Parameters<typeof startSmallServer>[1],
): Promise<SmallServer> =>
  startSmallServer(
    answerHealth(readReport, (_request, response) => response.writeHead(404).end()),
    options,
  );
