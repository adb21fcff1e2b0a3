import type { GatewayConfig } from '../config/gateway-config.ts';
import type { CountersOptions } from './counters.ts';

/** Of the options of counters, how they are shared with other processes. */
export type RedisOptions = Pick<CountersOptions, 'redis'>;

/** As the operator has set it; nothing where there is no Redis. */
export function redisOptions({ redisUrl, limits }: Pick<GatewayConfig, 'redisUrl' | 'limits'>): RedisOptions {
  if (redisUrl === undefined) return {};
  const { whenRedisAway = 'open', redisTimeoutMs } = limits ?? {};
  return {
    redis: {
      url: redisUrl,
      whenAway: whenRedisAway,
      ...(redisTimeoutMs === undefined ? {} : { commandTimeoutMs: redisTimeoutMs }),
    },
  };
}
