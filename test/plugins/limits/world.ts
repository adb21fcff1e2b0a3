import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { type ControlOptions, startControl, type TestControl } from '../../support/control.ts';
import type { Reply } from '../../support/gateway.ts';
import { type Peer, startPeer } from '../../support/peer.ts';

export interface World {
  readonly control: TestControl;
  readonly peer: Peer;
  readonly workspaceId: string;
  readonly integrationId: string;
  /** A new key of the workspace, with these limits. */
  key(limits?: JsonObject): Promise<{ readonly id: string; readonly key: string }>;
  ask(key: string, body?: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Waits until a count has settled: replies are sent before what they have used is known. */
  settled(name: string, used: number): Promise<void>;
  /** The same, in the store, where jobs look. */
  stored(name: string, used: number): Promise<void>;
}

export const messages = [{ role: 'user', content: 'Hello.' }];

/** A gateway with its control plane, whose workspace `Limited` calls the peer as `@prod`. */
export async function limitedWorld(t: Pick<TestContext, 'after'>, options: ControlOptions = {}): Promise<World> {
  const control = await startControl(t, options);
  const counters = control.gateway.control?.counters;
  assert.ok(counters !== undefined, 'the gateway counts');
  const peer = await startPeer(t);
  const { id: workspaceId } = await control.ok('POST', '/v1/workspaces', { body: { name: 'Limited' } });
  const { id: integrationId } = await control.ok('POST', '/v1/integrations', {
    body: {
      name: 'prod',
      ai_provider_id: 'openai',
      key: 'sk-of-prod',
      configurations: { custom_host: `${peer.origin}/v1` },
    },
  });
  await control.ok('PUT', `/v1/integrations/${integrationId}/workspaces`, {
    body: { workspaces: [{ id: String(workspaceId), enabled: true, default_provider_slug: 'prod' }] },
  });
  const ask: World['ask'] = (key, body = {}, headers = {}) =>
    control.call('POST', '/v1/chat/completions', {
      key,
      body: { model: '@prod/gpt-4o-mini', messages, ...body },
      headers,
    });
  return {
    control,
    peer,
    workspaceId: String(workspaceId),
    integrationId: String(integrationId),
    key: async (limits = {}) => {
      const made = await control.ok('POST', '/v1/api-keys/workspace/service', {
        body: { name: 'billing', workspace_id: String(workspaceId), scopes: ['completions.write'], ...limits },
      });
      return { id: String(made.id), key: String(made.key) };
    },
    ask,
    settled: (name, used) =>
      until(async () => {
        const [state] = await counters.read(control.organisationId, [{ name, start: 0, durable: true }]);
        return state?.used === used && state.reserved === 0 ? undefined : state;
      }),
    stored: (name, used) =>
      until(async () => {
        const { counts } = await counters.list(control.organisationId, name, undefined, 10, 0);
        return counts.some((count) => count.used === used) ? undefined : counts;
      }),
  };
}

/** Asks again and again until there is no fault left; fails with the last one. */
async function until(faultOf: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const fault = await faultOf();
    if (fault === undefined) return;
    assert.ok(tries < 500, JSON.stringify(fault));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A reply of the chat format that says what it has used. */
export function chatReply(input: number, output: number): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}
