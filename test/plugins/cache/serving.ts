import type { TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { GatewayOverrides } from '../../../core/gateway.ts';
import standardOrder from '../../../core/pipeline/default.json' with { type: 'json' };
import { type ConfigFragment, type Reply, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type Peer, startPeer } from '../../support/peer.ts';
import { says } from '../guardrails/guarded.ts';

const first = (plugins: readonly string[]) => [...new Set(['cache', ...plugins])].map((plugin) => ({ plugin }));

/** The cache before all others: the reply of the provider is kept, before guardrails change or deny it. */
export const withCache: ConfigFragment = {
  phases: { lookup: first(standardOrder.lookup), afterRequest: first(standardOrder.afterRequest) },
};

export interface CachedGateway extends TestGateway {
  readonly peer: Peer;
  /** Asks with an inline config. */
  ask(config: JsonObject, body?: JsonObject, headers?: Readonly<Record<string, string>>, path?: string): Promise<Reply>;
}

/** A gateway with the cache, and a provider whose replies all differ. */
export async function cachedGateway(
  t: Pick<TestContext, 'after'>,
  fragment: ConfigFragment = {},
  overrides: GatewayOverrides = {},
): Promise<CachedGateway> {
  const peer = await startPeer(t);
  let made = 0;
  peer.always(() => {
    made += 1;
    return { body: completion(`reply ${made}`) };
  });
  const gateway = await startGateway(t, { ...withCache, ...fragment }, overrides);
  return {
    ...gateway,
    peer,
    ask: (config, body = says('x'), headers = {}, path = '/v1/chat/completions') =>
      gateway.post(path, body, { 'x-gw-config': JSON.stringify(config), ...headers }),
  };
}

export function completion(content: string): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
}

export const statusOf = ({ headers }: Pick<Reply, 'headers'>) => headers.get('x-gw-cache-status');
