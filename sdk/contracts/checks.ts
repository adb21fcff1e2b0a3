import type { JsonObject } from '../json.ts';
import type { Endpoint } from './endpoint.ts';
import type { CheckInput, CheckPhase, Verdict } from './guardrail.ts';
import type { MaybePromise } from './plugin.ts';
import type { Principal } from './request.ts';

/** What is known of a check before it runs. */
export interface CheckSummary {
  /** `<folder>.<name>`. */
  readonly id: string;
  /** Name of its unit: what credentials are stored under. */
  readonly unit: string;
  readonly version: string;
  readonly trust: 'built-in' | 'trusted' | 'sandboxed';
  readonly title: string;
  readonly description?: string;
  readonly phases: readonly CheckPhase[];
  /** Undefined: everywhere that there is a text, or everywhere when it does not scan. */
  readonly endpoints: readonly Endpoint[] | undefined;
  readonly scans: boolean;
  readonly edits: 'may' | 'only' | undefined;
  /** Undefined: it calls nobody. */
  readonly remote: { readonly timeoutMs: number } | undefined;
  /** It runs code that the guardrail brings: never from a config that came with a request. */
  readonly runsCode: boolean;
  /** JSON Schema of its own parameters. */
  readonly config: JsonObject;
  /** JSON Schema of the unit's credentials; undefined: it needs none. */
  readonly credentials: JsonObject | undefined;
}

/** For whom, and in what time, a check runs. */
export interface CheckCall {
  readonly principal: Principal;
  readonly traceId: string;
  /** As stored or as the guardrail brings them; checked against the unit's schema. */
  readonly credentials: JsonObject | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Headers that calls of the check carry, below its own. */
  readonly forward: Readonly<Record<string, string>>;
  /** The headers of the request, for checks that may read credentials. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A check with its parameters: valid, defaults filled in, patterns compiled. */
export interface ReadyCheck {
  readonly summary: CheckSummary;
  /** With these parameters, its verdict is about a reply as a whole. */
  readonly whole: boolean;
  /** @throws GatewayError what `Check.accept` refuses; `not_ready` where it could not look */
  accept(call: CheckCall): Promise<void>;
  /** Gives the verdict, or throws what kept the check from giving one. Without `remote`, it knows no time limit. */
  run(input: CheckInput, call: CheckCall): MaybePromise<Verdict>;
}

/** All checks that this gateway has. */
export interface Checks {
  readonly summaries: readonly CheckSummary[];
  find(id: string): CheckSummary | undefined;
  /**
   * @param parameters the check's own: those that the runner acts on are taken out by then
   * @param param where they stand, for errors: `checks[0].parameters`
   * @throws GatewayError `invalid_config` naming the field and what is accepted, or the nearest id
   */
  ready(id: string, parameters: JsonObject, param: string): ReadyCheck;
  /** @throws GatewayError `invalid_config` when the unit takes no such credentials */
  checkCredentials(unit: string, credentials: JsonObject, param: string): void;
}
