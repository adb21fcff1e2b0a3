import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CacheStatus, Hooks, Manifest, Outcome, RequestContext, TargetContext } from 'portcullis/sdk';
import {
  createTestHost,
  runHook,
  setupPlugin,
  type TestHost,
  type TestHostOptions,
  testOutcome,
  testRequest,
  testTarget,
} from 'portcullis/sdk/testing';
import cache from '../../../plugins/cache/index.ts';
import manifest from '../../../plugins/cache/plugin.json' with { type: 'json' };

export const simple = { mode: 'simple', maxAgeSeconds: 600 } as const;
export const semantic = { mode: 'semantic', maxAgeSeconds: 600 } as const;

/** What came of one request. */
export interface Asked {
  readonly status: CacheStatus | undefined;
  /** Whether the target itself was called. */
  readonly called: boolean;
  readonly text: string;
  readonly outcome: Outcome;
}

export interface Cache {
  readonly host: TestHost;
  readonly hooks: Hooks;
  /** Takes a target through both phases of the plugin, and reads the reply to its end. */
  ask(target: TargetContext, reply?: Partial<Outcome>): Promise<Asked>;
}

/** The plugin as the gateway sets it up: with what its manifest grants, and no more. */
export async function startCache(options: TestHostOptions = {}): Promise<Cache> {
  const host = createTestHost({ manifest: manifest as Manifest, ...options });
  const hooks = await setupPlugin(cache, {}, host);
  return {
    host,
    hooks,
    ask: async (target, reply = {}) => {
      const known = await runHook(hooks, 'lookup', target);
      const outcome = known ?? answered(reply);
      const final = (await runHook(hooks, 'afterRequest', target, outcome)) ?? outcome;
      const text = await textOf(final);
      await settled();
      return { status: final.cache, called: known === undefined, text, outcome: final };
    },
  };
}

let made = 0;

/** A reply that no other equals, whole in the formats of chat, of completions and of messages. */
function answered(reply: Partial<Outcome>): Outcome {
  made += 1;
  const ended = { choices: [{ index: 0, finish_reason: 'stop' }], stop_reason: 'end_turn' };
  return testOutcome({ json: { id: `reply-${made}`, ...ended }, ...reply });
}

/** What is kept is kept behind the reply: a few turns of the loop later it is there. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

export function textOf({ body }: Outcome): Promise<string> {
  if (body.kind === 'bytes') return Promise.resolve(Buffer.from(body.bytes).toString());
  return new Promise((resolve, reject) => {
    let text = '';
    body.stream.pipe({
      data: (chunk) => {
        text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
        return true;
      },
      end: () => resolve(text),
      error: reject,
    });
  });
}

/** A target of a chat request with a cache rule; give what matters. */
export function targetWith(target: Partial<TargetContext> = {}, request: Partial<RequestContext> = {}): TargetContext {
  return testTarget({ cache: simple, request: testRequest(request), ...target });
}

export function said(content: string, more: Readonly<Record<string, string | number | boolean>> = {}) {
  return { model: 'm', messages: [{ role: 'user', content }], ...more };
}

/** Fails unless the second of two equal requests was served, or called the target. */
export async function assertKept(
  { ask }: Cache,
  target: () => TargetContext,
  reply: Partial<Outcome>,
  kept: boolean,
): Promise<void> {
  await ask(target(), reply);
  const second = await ask(target(), reply);
  assert.equal(second.called, !kept);
}
