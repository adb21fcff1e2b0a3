import { GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { fieldNames, type NodeConfig, type StrategyConfig, strategyModes } from './config-schema.ts';
import { clip, configFault, paramOf } from './fault.ts';

const beforeFields = ['before_request_hooks', 'input_guardrails', 'input_mutators'] as const;
const afterFields = ['after_request_hooks', 'output_guardrails', 'output_mutators'] as const;
const defaultFields = ['default_input_guardrails', 'default_output_guardrails'] as const;
const hookFields = [...beforeFields, ...afterFields, ...defaultFields];

/** The feature that a field asks for; a plugin's manifest says under `serves` which it acts on. */
const featureOf: Readonly<Record<string, string>> = {
  retry: 'retry',
  cache: 'cache',
  override_params: 'params',
  default_params: 'params',
  drop_params: 'params',
  prompt_id: 'prompts',
  before_request_hooks: 'guardrails',
  after_request_hooks: 'guardrails',
  input_guardrails: 'guardrails',
  output_guardrails: 'guardrails',
  default_input_guardrails: 'guardrails',
  default_output_guardrails: 'guardrails',
  input_mutators: 'mutators',
  output_mutators: 'mutators',
};

/** Keys that only a target can use: a strategy has no provider of its own, and does not hand them down. */
const targetOnly = ['provider', 'virtual_key', 'api_key', 'prompt_id', 'deployments'] as const;

/** The one strategy that a field of `strategy` belongs to. */
const strategyFields = {
  on_status_codes: 'fallback',
  conditions: 'conditional',
  default: 'conditional',
  sticky: 'loadbalance',
  sticky_session: 'loadbalance',
} as const satisfies Partial<Record<keyof StrategyConfig, string>>;

/** Keys that are enough to make a config mean something. `provider` alone is: its credential may be the operator's. */
const sufficient: ReadonlySet<string> = new Set([
  ...[
    'provider',
    'virtual_key',
    'targets',
    'cache',
    'retry',
    'request_timeout',
    'forward_headers',
    'prompt_id',
    'passthrough',
  ],
  ...['override_params', 'default_params', 'drop_params', 'fetch_integrated_models', 'deployments'],
  ...hookFields,
]);

/** What an enabled plugin would have to serve and none does is refused, so that no field is silently without effect. */
export function checkFeatures(node: NodeConfig, path: string, serves: ReadonlySet<string>): void {
  for (const [key, value] of Object.entries(node)) {
    const feature = Object.hasOwn(featureOf, key) ? featureOf[key] : undefined;
    if (feature === undefined || serves.has(feature) || isEmpty(value as Json)) continue;
    const param = paramOf(path, key);
    throw new GatewayError(
      'not_available',
      `config.${param} is understood, but no enabled plugin serves "${feature}".`,
      { param },
    );
  }
}

/** Checks how the fields of one node go together. @throws GatewayError */
export function checkRules(node: NodeConfig, raw: JsonObject, path: string, settingNames: ReadonlySet<string>): void {
  if (node.passthrough === true) checkPassthrough(node, path);
  if (node.targets !== undefined && node.strategy === undefined) {
    throw configFault(
      paramOf(path, 'strategy.mode'),
      `targets need strategy.mode: one of ${strategyModes.join(', ')}.`,
    );
  }
  if (node.strategy !== undefined && node.targets === undefined) {
    throw configFault(paramOf(path, 'targets'), 'strategy needs targets: a list of at least one target.');
  }
  if (node.strategy !== undefined) {
    checkStrategy(node.strategy, path);
    checkTargetOnly(raw, path, settingNames);
  }
  for (const key of defaultFields) {
    if (path !== 'config' && node[key] !== undefined) {
      throw configFault(paramOf(path, key), `${key} belongs to the root of the config: it is added to every target.`);
    }
  }
  if (!Object.keys(raw).some((key) => sufficient.has(key) || isSetting(key, settingNames))) {
    const what = path === 'config' ? 'The config' : `config.${path.slice('config.'.length)}`;
    throw configFault(
      path === 'config' ? 'config' : path.slice('config.'.length),
      `${what} does nothing by itself. Give it a provider with api_key or custom_host, a virtual_key, strategy and targets, or one of ` +
        'cache, retry, request_timeout, forward_headers, prompt_id, passthrough, override_params, default_params, drop_params or a guardrail list.',
    );
  }
}

function checkPassthrough(node: NodeConfig, path: string): void {
  for (const key of ['targets', 'strategy', 'override_params', ...hookFields] as const) {
    if (node[key] === undefined || isEmpty(node[key] as Json)) continue;
    throw configFault(paramOf(path, key), `passthrough excludes ${key}: remove one of the two.`);
  }
}

function checkStrategy(strategy: StrategyConfig, path: string): void {
  for (const [key, mode] of Object.entries(strategyFields)) {
    if (strategy[key as keyof typeof strategyFields] === undefined || strategy.mode === mode) continue;
    throw configFault(
      paramOf(path, `strategy.${key}`),
      `strategy.${key} belongs to the ${mode} strategy, and the mode is ${strategy.mode}.`,
    );
  }
  if (strategy.mode === 'conditional' && strategy.conditions === undefined) {
    throw configFault(
      paramOf(path, 'strategy.conditions'),
      'The conditional strategy needs conditions: a list of { query, then }.',
    );
  }
  if (strategy.sticky !== undefined && strategy.sticky_session !== undefined) {
    throw configFault(
      paramOf(path, 'strategy.sticky_session'),
      'strategy.sticky and strategy.sticky_session are one field: give one of them.',
    );
  }
  const rule = strategy.cb_config;
  if (rule === undefined) return;
  if (rule.failure_threshold === undefined && rule.failure_threshold_percentage === undefined) {
    throw configFault(
      paramOf(path, 'strategy.cb_config'),
      'strategy.cb_config needs failure_threshold or failure_threshold_percentage: without one it never opens.',
    );
  }
  if (rule.minimum_requests !== undefined && rule.failure_threshold_percentage === undefined) {
    throw configFault(
      paramOf(path, 'strategy.cb_config.minimum_requests'),
      'strategy.cb_config.minimum_requests goes with failure_threshold_percentage, which is missing.',
    );
  }
}

function checkTargetOnly(raw: JsonObject, path: string, settingNames: ReadonlySet<string>): void {
  const misplaced = Object.keys(raw).find(
    (key) => isSetting(key, settingNames) || targetOnly.some((name) => name === key),
  );
  if (misplaced === undefined) return;
  throw configFault(
    paramOf(path, misplaced),
    `${clip(misplaced)} has no effect beside targets, which do not inherit it: give it to each target.`,
  );
}

/** Some provider may name a setting as the config names a field (`api_key`): then the field decides. */
function isSetting(key: string, settingNames: ReadonlySet<string>): boolean {
  return settingNames.has(key) && !fieldNames.has(key);
}

/** An empty list or object asks for nothing. */
export function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
