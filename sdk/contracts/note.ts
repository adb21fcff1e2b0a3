/** What one guardrail said about a request; without any text of it. */
export interface GuardrailReport {
  /** Id or slug of the saved guardrail, or the id that an inline one was given. */
  readonly id: string;
  readonly versionId?: string;
  readonly phase: 'beforeRequest' | 'afterRequest';
  readonly verdict: boolean;
  /** Whether it ended the request or the reply. */
  readonly denied: boolean;
  /** Whether it changed a text. */
  readonly transformed: boolean;
  readonly async: boolean;
  /** It ran to be watched: its verdict had no effect. */
  readonly shadow: boolean;
  readonly durationMs: number;
  /** JSON path of the target in its config. */
  readonly target: string;
  /** Of a stream that it looked at piece by piece: how often, and the milliseconds that the first text waited, when any went out. */
  readonly stream?: { readonly looks: number; readonly addedMs?: number };
  readonly checks: readonly {
    readonly id: string;
    /** `name@version` of the unit that brings it. */
    readonly unit: string;
    readonly verdict: boolean;
    readonly transformed: boolean;
    /** Code of what kept it from giving a verdict. */
    readonly error?: string;
    readonly durationMs: number;
  }[];
}

export interface Feedback {
  readonly traceId: string;
  /** -10 to 10. */
  readonly value: number;
  /** 0 to 1. */
  readonly weight: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A piece of work with a beginning and an end, as OpenTelemetry has it. */
export interface Span {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** What plugins add to the record of a request. */
export interface RequestNote {
  readonly guardrails?: readonly GuardrailReport[] | undefined;
  readonly feedback?: readonly Feedback[] | undefined;
  readonly spans?: readonly Span[] | undefined;
}
