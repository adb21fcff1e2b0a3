import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { asArray, asObject, asObjects, type JsonObject, type RequestRecord } from 'portcullis/sdk';
import type { GatewayOverrides } from '../../../core/gateway.ts';
import { type ConfigFragment, type Reply, startGateway, type TestGateway } from '../../support/gateway.ts';

/** The folder of the units that tests of guardrails add. */
export const guardrailUnits = fileURLToPath(new URL('./units', import.meta.url));

/** What makes a gateway know the units of tests, and write its records down. */
export const watched: ConfigFragment = {
  pluginFolders: [{ path: guardrailUnits, trust: 'trusted', requireSignature: false }],
  phases: { log: [{ plugin: 'test-watch' }] },
};

export interface Guarded extends TestGateway {
  /** Asks with an inline config over the echo provider, unless it names another one. */
  ask(config: JsonObject, body?: JsonObject, options?: AskOptions): Promise<Reply>;
  /** The records of requests that have settled, once there are so many. */
  records(count: number): Promise<readonly RequestRecord[]>;
}

export interface AskOptions {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const says = (content: string, more: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...more,
});

/** A gateway with the units of tests. */
export async function guarded(
  t: Pick<TestContext, 'after'>,
  fragment: ConfigFragment = {},
  overrides: GatewayOverrides = {},
): Promise<Guarded> {
  return asking(await startGateway(t, { ...watched, ...fragment }, overrides));
}

export function asking(gateway: TestGateway): Guarded {
  const found = () => gateway.log.filter(({ event }) => event === 'record').map(({ fields }) => fields.record);
  return {
    ...gateway,
    ask: (config, body = says('x'), { path = '/v1/chat/completions', headers = {} } = {}) =>
      gateway.post(path, body, { 'x-gw-config': JSON.stringify(overEcho(config)), ...headers }),
    records: async (count) => {
      await gateway.logged(({ event }) => event === 'record' && found().length >= count);
      return found() as unknown as readonly RequestRecord[];
    },
  };
}

function overEcho(config: JsonObject): JsonObject {
  return config.targets === undefined ? { provider: 'echo', ...config } : config;
}

/** A guardrail that fails where the word is. */
export const without = (word: string, more: JsonObject = {}): JsonObject => ({
  'default.contains': { operator: 'none', words: [word], ...more },
});

type Phase = 'before' | 'after';

/** The results of a phase, as a reply has them. */
export function resultsOf({ json }: Pick<Reply, 'json'>, phase: Phase = 'before'): readonly JsonObject[] {
  return asObjects(asObject(json.hook_results)?.[`${phase}_request_hooks`]);
}

/** What the check `sees` of the test-probe saw, in the first hook that ran. */
export function seenIn(reply: Pick<Reply, 'json'>, phase: Phase = 'before'): JsonObject {
  for (const hook of resultsOf(reply, phase))
    for (const check of asObjects(hook.checks)) if (check.id === 'test-probe.sees') return asObject(check.data) ?? {};
  return assert.fail(`Nothing was seen: ${JSON.stringify(reply.json)}`);
}

/** The texts that it saw. */
export function textsIn(reply: Pick<Reply, 'json'>, phase: Phase = 'before'): readonly string[] {
  return asArray(seenIn(reply, phase).texts).map((text) => String(asObject(text)?.text));
}

/** What the first choice of a chat reply says. */
export function said({ json }: Pick<Reply, 'json'>): unknown {
  return asObject(asObject(asArray(json.choices)[0])?.message)?.content;
}

export function errorOf({ json }: Pick<Reply, 'json'>): JsonObject {
  return asObject(json.error) ?? {};
}
