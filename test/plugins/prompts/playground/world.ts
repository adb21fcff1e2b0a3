import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import { integrate } from '../../../e2e/control/furnish.ts';
import type { ControlOptions } from '../../../support/control.ts';
import type { Reply } from '../../../support/gateway.ts';
import { type Peer, startPeer } from '../../../support/peer.ts';
import { chatTemplate, type PromptWorld, startPromptWorld, variables } from '../run/world.ts';

/** A world with a second provider, whose slug is `prov-other`. */
export interface PlaygroundWorld extends PromptWorld {
  readonly other: Peer;
  play(body?: JsonObject, key?: string): Promise<Reply>;
  /** The same, as it comes. */
  open(body: JsonObject, signal?: AbortSignal): Promise<Response>;
}

export const path = '/v1/prompts/playground';
export const both: readonly JsonObject[] = [{ model: '@prov-shop/gpt-4o' }, { model: '@prov-other/gpt-4o-mini' }];

const template: JsonObject = { string: chatTemplate, variables, models: both };

export async function startPlayground(
  t: Pick<TestContext, 'after'>,
  options: ControlOptions = {},
): Promise<PlaygroundWorld> {
  const world = await startPromptWorld(t, options);
  const other = await startPeer(t);
  const { ask, c, key, shop } = world;
  const integration = await integrate(ask, { slug: 'int-other', secret: 'sk-of-the-other', origin: other.origin });
  await ask('PUT', `/v1/integrations/${integration}/workspaces`, {
    workspaces: [{ id: shop.workspaceId, enabled: true }],
    create_default_provider: false,
  });
  await ask('POST', '/v1/providers', {
    name: 'Other',
    slug: 'prov-other',
    integration_id: integration,
    workspace_id: shop.workspaceId,
  });
  return {
    ...world,
    other,
    play: (body = {}, own = key) => c.call('POST', path, { key: own, body: { ...template, ...body } }),
    open: (body, signal) =>
      fetch(c.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gw-api-key': key },
        body: JSON.stringify({ ...template, stream: true, ...body }),
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}

/** The results of a reply, in its order. */
export function resultsOf(reply: Reply): readonly JsonObject[] {
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
  return reply.json.data as readonly JsonObject[];
}

export interface PlayedEvent {
  readonly event: string;
  readonly data: JsonObject;
}

/** The events of a stream, each of which must be JSON, and which must end with [DONE]. */
export function eventsOf(text: string): readonly PlayedEvent[] {
  const frames = text.split('\n\n');
  assert.deepEqual(frames.slice(-2), ['data: [DONE]', '']);
  return frames.slice(0, -2).map((frame) => {
    const [, event = '', data = ''] = /^event: (chunk|result)\ndata: (.*)$/.exec(frame) ?? [];
    const json = asObject(parseJson(data));
    assert.ok(json !== undefined, `no JSON object: ${frame}`);
    return { event, data: json };
  });
}
