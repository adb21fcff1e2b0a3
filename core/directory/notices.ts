import type { Log } from 'portcullis/sdk';
import { openRedis } from '../redis/client.ts';
import { describe } from './outage.ts';

const channel = 'portcullis:directory';
const longestIdentifier = 64;
const connectMs = 500;
const commandMs = 300;
// Of a connection that only listens: pings find out that it is dead.
const pingMs = 5_000;

/** Tells other processes at once what has changed. What gets lost is found by polling. */
export interface Notices {
  /** Sends and forgets: never throws, never waits. */
  publish(organisationId: string): void;
  /** @param missed notices may have been lost until now */
  listen(changed: (organisationId: string) => void, missed: () => void): void;
  close(): void;
}

/** Notices through Redis: one connection to send, one to listen. Both come back by themselves. */
export function createRedisNotices(url: string, log: Log): Notices {
  const options = {
    connectTimeout: connectMs,
    retryStrategy: (attempt: number) => Math.min(2_000, 50 * 2 ** attempt),
  };
  const sender = openRedis(url, {
    ...options,
    commandTimeout: commandMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  });
  const listener = openRedis(url, {
    ...options,
    maxRetriesPerRequest: null,
    // Subscribing is done below, at each start of a connection.
    autoResubscribe: false,
    enableOfflineQueue: false,
  });
  const sending = outageLog(log, 'publish');
  const listening = outageLog(log, 'subscribe');
  sender.on('error', sending.lost);
  listener.on('error', listening.lost);
  let ping: NodeJS.Timeout | undefined;

  return {
    publish: (organisationId) => {
      sender.publish(channel, organisationId).then(sending.back, sending.lost);
    },
    listen: (changed, missed) => {
      const subscribe = async (): Promise<void> => {
        try {
          await listener.subscribe(channel);
          listening.back();
          missed();
        } catch (error) {
          listening.lost(error);
        }
      };
      listener.on('ready', () => void subscribe());
      listener.on('message', (_channel: string, organisationId: string) => {
        if (organisationId !== '' && organisationId.length <= longestIdentifier) changed(organisationId);
      });
      let answered = true;
      ping = setInterval(() => {
        if (listener.status !== 'ready') return;
        if (!answered) {
          answered = true;
          listening.lost(new Error('no answer'));
          listener.disconnect(true);
          return;
        }
        answered = false;
        listener.ping().then(
          () => {
            answered = true;
          },
          () => {},
        );
      }, pingMs);
      ping.unref();
    },
    close: () => {
      clearInterval(ping);
      sender.disconnect();
      listener.disconnect();
    },
  };
}

/** One line when it begins, one when it is over. */
function outageLog(log: Log, side: 'publish' | 'subscribe') {
  let away = false;
  return {
    lost: (error: unknown): void => {
      if (!away) log.warn('directory_notices_away', { side, error: describe(error), instead: 'polling' });
      away = true;
    },
    back: (): void => {
      if (away) log.info('directory_notices_back', { side });
      away = false;
    },
  };
}
