import type { Log } from 'portcullis/sdk';
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
  readonly plans: Plans;
  readonly upstream: Upstream;
  readonly breakers: Breakers;
  readonly settings: TargetSettings;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  /** `name` or `name@major`. @throws GatewayError `unknown_provider` */
  findProvider(name: string): ProviderUnit;
}
