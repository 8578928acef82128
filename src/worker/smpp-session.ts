import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/connection.ts';
import { recordDeliveryReport } from '../db/delivery-reports/delivery-reports.ts';
import type { FenceWatch } from '../db/recovery/fence-watch.ts';
import { smppOfSettings } from '../providers/of-settings.ts';
import type { SmppSender } from '../providers/sms/smpp/client.ts';
import type { TemporalConnection } from '../temporal/connection.ts';
import { tellCodeDelivery } from '../temporal/unless-running.ts';

/**
 * The session of this worker with the SMSC; undefined where none is configured. It opens with the
 * worker, so that receipts arrive, and an SMSC that is away does not keep the worker from starting.
 */
export function startSmppSession(
  config: Config,
  { client }: TemporalConnection,
  shared: {
    readonly database: Database;
    readonly fence: Pick<FenceWatch, 'isFenced'>;
    readonly logger: Logger;
  },
): SmppSender | undefined {
  const { database, fence, logger } = shared;
  let wasLost = false;
  const sender = smppOfSettings(config, {
    async record(report) {
      if (fence.isFenced()) throw new Error('The database is being recovered');
      const code = await recordDeliveryReport(database, report);
      if (code) await tellCodeDelivery(client, code);
    },
    note(event, reason) {
      if (event === 'bound') logger.info('The session with the SMSC is open');
      else if (event === 'unrecorded')
        logger.warn({ reason }, 'A receipt was not recorded: the SMSC sends it again');
      // Logged once, not with each try during an outage.
      else if (!wasLost) logger.warn({ reason }, 'There is no session with the SMSC');
      wasLost = event === 'lost' || (wasLost && event !== 'bound');
    },
  });
  sender?.open();
  return sender;
}
