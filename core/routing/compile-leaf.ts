import { asString, type HookEntry, type JsonObject } from 'portcullis/sdk';
import type { NodeConfig } from './config-schema.ts';
import { configFault, paramOf } from './fault.ts';
import { defined, type Inherited } from './inherit.ts';
import type { Leaf } from './plan.ts';
import { isEmpty } from './rules.ts';

interface DefaultHooks {
  readonly defaultBefore: readonly HookEntry[];
  readonly defaultAfter: readonly HookEntry[];
}

export function compileLeaf(
  node: NodeConfig,
  raw: JsonObject,
  path: string,
  inherited: Inherited,
  settingNames: ReadonlySet<string>,
  { defaultBefore, defaultAfter }: DefaultHooks,
): Leaf {
  const { before: ownBefore = [], after: ownAfter = [], ...handedDown } = inherited;
  const before = [...ownBefore, ...defaultBefore];
  const after = [...ownAfter, ...defaultAfter];
  if (node.passthrough === true) {
    const params = inherited.overrideParams !== undefined && !isEmpty(inherited.overrideParams);
    const excluded = params ? 'override_params' : before.length + after.length > 0 ? 'guardrail lists' : undefined;
    if (excluded !== undefined) {
      throw configFault(
        paramOf(path, 'passthrough'),
        `passthrough excludes ${excluded}, which ${path} inherits: move them to the other targets.`,
      );
    }
  }
  return {
    kind: 'leaf',
    path,
    ...handedDown,
    ...defined({
      name: node.name,
      index: node.index,
      provider: node.provider,
      virtualKey: node.virtual_key,
      apiKey: node.api_key,
      promptId: node.prompt_id,
    }),
    ...providerFromModel(node, inherited.overrideParams),
    settings: settingsOf(raw, settingNames),
    passthrough: node.passthrough === true,
    hooks: { before, after },
  };
}

/** `override_params.model: "@slug/model"` names the provider where nothing else does. */
function providerFromModel(
  node: NodeConfig,
  overrides: JsonObject | undefined,
): Pick<Leaf, 'provider' | 'overrideParams'> {
  if (node.provider !== undefined || node.virtual_key !== undefined) return {};
  const parts = /^(@[^/]+)\/(.+)$/s.exec(asString(overrides?.model) ?? '');
  const [, provider, model] = parts ?? [];
  return provider === undefined || model === undefined ? {} : { provider, overrideParams: { ...overrides, model } };
}

function settingsOf(raw: JsonObject, settingNames: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => settingNames.has(key) || key === 'deployments'));
}
