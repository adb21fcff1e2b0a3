import type { Static, TSchema } from 'typebox';
import type { JsonObject } from '../json.ts';
import type { ControlPlugin } from './control.ts';
import type { ProviderEntry } from './directory.ts';
import type { HookEntry } from './hooks.ts';
import type { Host } from './host.ts';
import type { Cost, PriceQuestion } from './price.ts';
import type {
  Outcome,
  Principal,
  RecordBodies,
  RequestContext,
  RequestRecord,
  TargetContext,
  UnidentifiedRequest,
} from './request.ts';
import type { SavedConfigName, SavedPromptName } from './saved-names.ts';

export type MaybePromise<T> = T | Promise<T>;

/**
 * What a resolve hook may settle; later hooks of the chain win field by field.
 * Plans are compiled once for each resolution object: hand out the same one for equal requests.
 */
export interface Resolution {
  /** A routing config (an object as in `x-gw-config`) or the name of a saved one. */
  readonly config?: JsonObject | string;
  /** Which saved config of a workspace `config` is. Callers who belong to an organisation get no config by its name alone. */
  readonly saved?: SavedConfigName;
  /** Whether the config came from the caller itself: then it may not spend the operator's credentials on hosts of its own. */
  readonly inline?: boolean;
  /** Config fields that the caller's headers set over the config's own. */
  readonly overrides?: JsonObject;
  readonly body?: JsonObject;
  /** What a request for a saved prompt becomes. */
  readonly prompt?: ResolvedPrompt;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A saved prompt that is run, and as what. */
export interface ResolvedPrompt {
  readonly kind: 'chat' | 'completions';
  readonly name: SavedPromptName;
}

/** A saved prompt with the variables of a request filled in. */
export interface FilledPrompt extends ResolvedPrompt {
  /** Of the kind's format. */
  readonly body: JsonObject;
}

/** An answer in the place of a call: it ends the target's phases, and a fallback may react to its status. */
export class Answer {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
  }
}

/** What a plugin does, by phase. Leave out what it does not implement; the manifest's `phases` must list the same. */
export interface Hooks {
  /** Who is calling? undefined: not mine, ask the next. Throw `unauthenticated` to refuse. */
  identify?(request: UnidentifiedRequest): MaybePromise<Principal | undefined>;
  /** Which config, which body? */
  resolve?(request: RequestContext): MaybePromise<Resolution | undefined>;
  /** May it go on? Throw to refuse. */
  admit?(request: RequestContext): MaybePromise<void>;
  /** A new body for this target, or undefined to leave it. */
  prepare?(target: TargetContext): MaybePromise<JsonObject | undefined>;
  /** As prepare, on the final body; an answer, or a throw, denies. */
  beforeRequest?(target: TargetContext): MaybePromise<JsonObject | Answer | undefined>;
  /** An answer without calling the provider. */
  lookup?(target: TargetContext): MaybePromise<Outcome | undefined>;
  /** Wraps the call: run `next` as often as needed. Abort the streams of outcomes that are not returned. */
  attempt?(target: TargetContext, next: () => Promise<Outcome>): Promise<Outcome>;
  /**
   * Before another call for a target whose last reply was counted and given up: it is the last of `target.request.givenUp`.
   * Not a phase. Throw to end the target without it.
   */
  again?(target: TargetContext): MaybePromise<void>;
  /** Another outcome in its place, or undefined to leave it. */
  afterRequest?(target: TargetContext, outcome: Outcome): MaybePromise<Outcome | undefined>;
  /** After the reply has been sent or broken off. */
  settle?(request: RequestContext, record: RequestRecord): MaybePromise<void>;
  /** Not waited for. `bodies` only with `permissions.bodies`. */
  log?(record: RequestRecord, bodies: RecordBodies | undefined): MaybePromise<void>;
  /** What a request costs; undefined: no price is known. At most one plugin. Not a phase. */
  price?(question: PriceQuestion): MaybePromise<Cost | undefined>;
  /**
   * The settings of a provider that a secret manager holds, by their snake_case names: each that `entry.secrets` names.
   * Called before each use, so keep what may be kept, and give the same object while nothing has changed. Not a phase: the
   * manifest does not list it. Throw `secret_unavailable`, naming the reference, when one cannot be had.
   */
  secrets?(entry: ProviderEntry): MaybePromise<JsonObject>;
  /**
   * Looks at the guardrails and mutators of a config when it is saved, or compiled for the first time: for the plugin that
   * serves `guardrails`. Not a phase. `inline`: the config came with the request.
   * @throws GatewayError naming what cannot run, and where
   */
  acceptHooks?(hooks: readonly HookEntry[], from: { readonly inline: boolean }): void;
  /** What `explain` says about a target: a line each. Not a phase. */
  explain?(target: TargetContext): MaybePromise<readonly string[]>;
  /**
   * The prompt that a target of a config names, with the variables and parameters of the request: for the plugin that
   * serves `prompts`. Not a phase. @throws GatewayError naming the reference when it cannot be run
   */
  prompt?(request: RequestContext, reference: string): MaybePromise<FilledPrompt>;
  /** True while anyone may call without a key: the gateway then listens on loopback only. */
  readonly open?: boolean;
  /** Frees timers, pools and files; called at shutdown and when a reload replaces the plugin. */
  close?(): MaybePromise<void>;
}

/** One plugin: a schema of its config and a function that makes its hooks. `setup` gets a valid config with defaults filled in. */
export interface Plugin<Config extends TSchema = TSchema> extends ControlPlugin {
  readonly config: Config;
  setup(config: Static<Config>, host: Host): MaybePromise<Hooks>;
}
