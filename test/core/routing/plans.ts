import assert from 'node:assert/strict';
import { GatewayError } from 'portcullis/sdk';
import { type CompileOptions, compilePlan } from '../../../core/routing/compile.ts';
import { defaultCaps } from '../../../core/routing/fan-out.ts';
import type { Leaf, Node } from '../../../core/routing/plan.ts';
import type { WalkFacts } from '../../../core/routing/walk.ts';

export const options: CompileOptions = {
  settingNames: new Set(['aws_region', 'azure_resource_name', 'api_key']),
  serves: new Set(['retry', 'params', 'cache', 'guardrails', 'mutators', 'prompts']),
  caps: defaultCaps,
};

export const compile = (config: unknown, changed: Partial<CompileOptions> = {}) =>
  compilePlan(config, { ...options, ...changed });

export function leavesOf(node: Node): readonly Leaf[] {
  return node.kind === 'leaf' ? [node] : node.children.flatMap(leavesOf);
}

/** The leaf at a path, or a failure of the test. */
export function leafAt(config: unknown, path: string): Leaf {
  const leaf = leavesOf(compile(config).root).find((candidate) => candidate.path === path);
  if (leaf === undefined) throw new Error(`no leaf at ${path}`);
  return leaf;
}

export function factsOf(changed: Partial<WalkFacts> = {}): WalkFacts {
  return { metadata: {}, params: {}, path: '/v1/chat/completions', random: () => 0, now: () => 0, ...changed };
}

/** A small seeded generator (mulberry32), 0 up to 1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const targets = (count: number) => Array.from({ length: count }, (_, index) => ({ provider: `p${index}` }));

export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) deepFrozen(item);
  return Object.freeze(value);
}

export function condition(query: unknown, target: string) {
  // biome-ignore lint/suspicious/noThenProperty: the word of the config format; nobody awaits it
  return { query, then: target };
}

export interface Fault {
  readonly config: unknown;
  readonly param: string;
  readonly message: RegExp;
}

export function refuses({ config, param, message }: Fault): void {
  assert.throws(
    () => compile(config),
    (error) => {
      assert.ok(GatewayError.is(error), String(error));
      assert.deepEqual([error.code, error.status, error.param], ['invalid_config', 400, param]);
      assert.match(error.message, message);
      return true;
    },
  );
}
