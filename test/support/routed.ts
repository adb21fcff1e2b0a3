import type { TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { GatewayOverrides } from '../../core/gateway.ts';
import { type Reply, startGateway } from './gateway.ts';
import type { Peer } from './peer.ts';

/** A smallest chat request. */
export const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };

/** A target of a config that calls the peer as openai. */
export function target({ origin }: Pick<Peer, 'origin'>, more: JsonObject = {}): JsonObject {
  return { provider: 'openai', api_key: 'k', custom_host: `${origin}/v1`, ...more };
}

/** A target of a config that calls the peer as anthropic. */
export function claude({ origin }: Peer, more: JsonObject = {}): JsonObject {
  return { provider: 'anthropic', api_key: 'k', custom_host: `${origin}/v1`, ...more };
}

export interface Routed {
  post(body?: JsonObject, headers?: Readonly<Record<string, string>>, path?: string): Promise<Reply>;
  readonly slept: number[];
}

/** A gateway with one config; waiting costs no time and is written down. */
export async function routed(t: TestContext, config: JsonObject, overrides: GatewayOverrides = {}): Promise<Routed> {
  const slept: number[] = [];
  const gateway = await startGateway(
    t,
    { configs: { main: config }, defaultConfig: 'main' },
    {
      sleep: async (ms) => {
        slept.push(ms);
      },
      random: () => 0.5,
      ...overrides,
    },
  );
  return {
    slept,
    post: (body = chat, headers = {}, path = '/v1/chat/completions') => gateway.post(path, body, headers),
  };
}

/** JSON path of the target that served. */
export const indexOf = ({ headers }: Reply) => headers.get('x-gw-last-used-option-index');
export const retriesOf = ({ headers }: Reply) => headers.get('x-gw-retry-attempt-count');
