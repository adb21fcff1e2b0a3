import type { JsonObject } from '../json.ts';

/** The config fields that hold guardrails and mutators. */
export type HookField =
  | 'before_request_hooks'
  | 'after_request_hooks'
  | 'input_guardrails'
  | 'output_guardrails'
  | 'input_mutators'
  | 'output_mutators'
  | 'default_input_guardrails'
  | 'default_output_guardrails';

/** One entry of a guardrail, mutator or hook list, as the config has it. */
export interface HookEntry {
  /** The config field that held it. */
  readonly source: HookField;
  /** Where it stands: `config.targets[0].input_guardrails[1]`. */
  readonly path: string;
  /** The id of a saved guardrail, or its definition; read by the plugin that serves guardrails. */
  readonly value: string | JsonObject;
}

/** The hooks of one target. The same object for every request of a compiled config. */
export interface TargetHooks {
  /** Own or inherited, then the root's defaults. */
  readonly before: readonly HookEntry[];
  readonly after: readonly HookEntry[];
}
