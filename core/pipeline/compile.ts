import {
  Answer,
  type Cost,
  type FilledPrompt,
  GatewayError,
  type HookEntry,
  type Hooks,
  type JsonObject,
  type Log,
  type MaybePromise,
  type Outcome,
  type PhaseName,
  type PriceQuestion,
  type Principal,
  type ProviderEntry,
  phaseNames,
  type RecordBodies,
  type RequestContext,
  type RequestRecord,
  type Resolution,
  type TargetContext,
  type UnidentifiedRequest,
} from 'portcullis/sdk';
import { around, chain, type Entry, first, firstOpen, run } from './chains.ts';
import { phases } from './phases.ts';

/** A plugin that has been set up, as the compiler needs it. */
export interface ReadyPlugin {
  readonly name: string;
  readonly major: number;
  readonly version: string;
  readonly serves: readonly string[];
  /** Whether its log phase gets what was said. */
  readonly bodies?: boolean;
  readonly hooks: Hooks;
}

/** One row of what runs: what the start-up log, `GET /v1/pipeline` and `explain` print. */
export interface PipelineRow {
  readonly phase: PhaseName;
  readonly scope: string;
  readonly kind: string;
  readonly fail: string;
  readonly plugins: readonly string[];
}

/**
 * The compiled chains. A hook that returns no promise costs no await: each chain gives its result at once when all of its
 * hooks do.
 */
export interface Pipeline {
  readonly rows: readonly PipelineRow[];
  /** Config features that some plugin acts on. */
  readonly serves: ReadonlySet<string>;
  /** Callers need no key. */
  readonly open: boolean;
  identify(request: UnidentifiedRequest): MaybePromise<Principal | undefined>;
  resolve(request: RequestContext): MaybePromise<Resolution>;
  admit(request: RequestContext): MaybePromise<void>;
  prepare(target: TargetContext): MaybePromise<JsonObject>;
  beforeRequest(target: TargetContext): MaybePromise<JsonObject | Answer>;
  lookup(target: TargetContext): MaybePromise<Outcome | undefined>;
  attempt(target: TargetContext, call: () => Promise<Outcome>): Promise<Outcome>;
  /** Before another call for a target, where the reply of the last one was given up. */
  again(target: TargetContext): MaybePromise<void>;
  afterRequest(target: TargetContext, outcome: Outcome): MaybePromise<Outcome>;
  settle(request: RequestContext, record: RequestRecord): MaybePromise<void>;
  /** `bodies` makes what was said accessible; called only where some plugin may see it. */
  log(record: RequestRecord, bodies: () => RecordBodies): void;
  /** Whether some plugin of the log phase may see what was said. */
  readonly keepsBodies: boolean;
  /** What a request costs; undefined: no plugin knows. */
  price(question: PriceQuestion): MaybePromise<Cost | undefined>;
  /** Settings that a secret manager holds; undefined: no plugin serves secret references. */
  secrets(entry: ProviderEntry): MaybePromise<JsonObject | undefined>;
  /** A prompt that a target names. @throws GatewayError `not_available` when no plugin serves prompts */
  prompt(request: RequestContext, reference: string): MaybePromise<FilledPrompt>;
  /** @throws GatewayError for guardrails and mutators of a config that could not run */
  acceptHooks(hooks: readonly HookEntry[], from: { readonly inline: boolean }): void;
  /** What plugins say about a target to `explain`. */
  explain(target: TargetContext): Promise<readonly string[]>;
  close(): Promise<void>;
}

const unresolved: Resolution = Object.freeze({});

/**
 * @param order the plugins of each phase, in run order
 * @param beside plugins in no phase, for the hooks that are none
 */
export function compilePipeline(
  order: Readonly<Record<PhaseName, readonly ReadyPlugin[]>>,
  log: Log,
  beside: readonly ReadyPlugin[] = [],
): Pipeline {
  const plugins = [...new Set([...phaseNames.flatMap((phase) => order[phase]), ...beside])];
  const entries = <P extends PhaseName>(phase: P): readonly Entry<NonNullable<Hooks[P]>>[] =>
    order[phase].map((plugin) => {
      const hook = plugin.hooks[phase];
      if (hook === undefined) {
        const offered = phaseNames.filter((name) => plugin.hooks[name] !== undefined).join(', ');
        throw new GatewayError(
          'invalid_config',
          `The plugin ${plugin.name} does not implement the phase ${phase}; it implements: ${offered}.`,
          {
            param: `phases.${phase}`,
          },
        );
      }
      return { plugin: plugin.name, hook: hook.bind(plugin.hooks) as NonNullable<Hooks[P]> };
    });

  const identify = entries('identify');
  const resolve = entries('resolve');
  const admit = entries('admit');
  const prepare = entries('prepare');
  const beforeRequest = entries('beforeRequest');
  const lookup = entries('lookup');
  const attempt = entries('attempt');
  const afterRequest = entries('afterRequest');
  const settle = entries('settle');
  const records = entries('log').map((entry, index) => ({ ...entry, bodies: order.log[index]?.bodies === true }));
  const prices = plugins.flatMap(({ name, hooks }) =>
    hooks.price === undefined ? [] : [{ plugin: name, hook: hooks.price.bind(hooks) }],
  );
  const agains = plugins.flatMap(({ name, hooks }) =>
    hooks.again === undefined ? [] : [{ plugin: name, hook: hooks.again.bind(hooks) }],
  );
  const secrets = plugins.flatMap(({ name, hooks }) =>
    hooks.secrets === undefined ? [] : [{ plugin: name, hook: hooks.secrets.bind(hooks) }],
  );
  const prompts = plugins.flatMap(({ name, hooks }) =>
    hooks.prompt === undefined ? [] : [{ plugin: name, hook: hooks.prompt.bind(hooks) }],
  );
  const warn = (phase: PhaseName | 'close', plugin: string, error: unknown): undefined => {
    log.error('plugin_failed', { phase, plugin, error: error instanceof Error ? error.message : 'not an error' });
  };

  return {
    rows: phaseNames.map((phase) => ({
      phase,
      ...phases[phase],
      plugins: order[phase].map(({ name, major }) => `${name}@${major}`),
    })),
    serves: new Set(plugins.flatMap((plugin) => plugin.serves)),
    open: order.identify.some((plugin) => plugin.hooks.open === true),
    identify: (request) => first(identify, (hook) => hook(request)),
    resolve: (request) =>
      chain(
        resolve,
        unresolved,
        (hook) => hook(request),
        (merged, next) => (merged === unresolved ? next : { ...merged, ...next }),
      ),
    admit: (request) =>
      chain(
        admit,
        undefined,
        (hook) => hook(request),
        () => undefined,
      ),
    prepare: (target) =>
      chain(
        prepare,
        target.body,
        (hook, body) => hook(withBody(target, body)),
        (_, next) => next,
      ),
    beforeRequest: (target) =>
      chain<NonNullable<Hooks['beforeRequest']>, JsonObject | Answer, JsonObject | Answer>(
        beforeRequest,
        target.body,
        // An answer ends the phase: what comes later has nothing left to look at.
        (hook, body) => (body instanceof Answer ? undefined : hook(withBody(target, body))),
        (_, next) => next,
      ),
    lookup: (target) =>
      firstOpen(
        lookup,
        (hook) => hook(target),
        (plugin, error) => warn('lookup', plugin, error),
      ),
    attempt: (target, call) => around(attempt, target, call),
    again: (target) =>
      chain(
        agains,
        undefined,
        (hook) => hook(target),
        () => undefined,
      ),
    afterRequest: (target, outcome) =>
      chain(
        afterRequest,
        outcome,
        (hook, current) => hook(target, current),
        (_, next) => next,
      ),
    settle: (request, record) =>
      firstOpen(
        settle,
        (hook) => {
          const running = hook(request, record);
          return running instanceof Promise ? running.then(() => undefined) : undefined;
        },
        (plugin, error) => warn('settle', plugin, error),
      ),
    keepsBodies: records.some(({ bodies }) => bodies),
    price: (question) => first(prices, (hook) => hook(question)),
    log: (record, bodiesOf) => {
      for (const { plugin, hook, bodies } of records) {
        try {
          const running = hook(record, bodies ? bodiesOf() : undefined);
          if (running instanceof Promise) running.catch((error: unknown) => warn('log', plugin, error));
        } catch (error) {
          warn('log', plugin, error);
        }
      }
    },
    secrets: (entry) => first(secrets, (hook) => hook(entry)),
    prompt: (request, reference) => {
      const [prompt] = prompts;
      if (prompt !== undefined) return run(prompt.plugin, () => prompt.hook(request, reference));
      throw new GatewayError('not_available', 'No enabled plugin serves saved prompts.', { param: 'prompt_id' });
    },
    acceptHooks: (hooks, from) => {
      for (const { hooks: own } of plugins) own.acceptHooks?.(hooks, from);
    },
    explain: async (target) => (await Promise.all(plugins.map(({ hooks }) => hooks.explain?.(target) ?? []))).flat(),
    close: async () => {
      for (const plugin of plugins.toReversed()) {
        try {
          await plugin.hooks.close?.();
        } catch (error) {
          warn('close', plugin.name, error);
        }
      }
    },
  };
}

function withBody(target: TargetContext, body: JsonObject): TargetContext {
  return body === target.body ? target : { ...target, body };
}
