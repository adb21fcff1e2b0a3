import type { Checks, Directory, JsonObject, Log } from 'portcullis/sdk';
import type { Affinity } from '../affinity/affinity.ts';
import type { Batches } from '../batches/batches.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import type { Breakers } from '../routing/breaker.ts';
import type { ProviderUnit } from '../upstream/provider-unit.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Pipeline } from './compile.ts';
import type { Plans } from './plans.ts';
import type { TargetSettings } from './target-settings.ts';

/** Everything that one state of the operator's file compiles to. Requests in flight keep the one that they began with. */
export interface Runtime {
  readonly config: GatewayConfig;
  readonly pipeline: Pipeline;
  readonly checks: Checks;
  readonly plans: Plans;
  readonly upstream: Upstream;
  readonly breakers: Breakers;
  readonly settings: TargetSettings;
  readonly affinity: Affinity;
  readonly batches: Batches;
  /** The records of organisations and their workspaces; undefined: there is no control plane. */
  readonly directory: Directory | undefined;
  /** Nobody needs a key: true until there is one. May change while it runs. */
  readonly open: boolean;
  /** Headers, behind the vendor segment, by which a request sets up a provider of its own. */
  readonly settingHeaders: readonly string[];
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  /** What each provider can be asked for, as the API lists it. */
  capabilities(): Promise<JsonObject>;
  /** `name` or `name@major`. Imports its code at the first time. @throws GatewayError `unknown_provider` */
  findProvider(name: string): ProviderUnit;
}
