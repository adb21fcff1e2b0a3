import { createHash } from 'node:crypto';

/** A script of one organisation. Use the same object again: it is recognised faster. */
export interface Program {
  /** For logs and errors: `custom.code`, or `unit@version`. */
  readonly id: string;
  /** '': the operator's own. */
  readonly organisation: string;
  /** One script, as `bundleCode` and `bundleUnit` make it. */
  readonly source: string;
  /** 8 to 256. */
  readonly memoryMb: number;
  /** Calls to the network in one run. */
  readonly outboundCalls: number;
  /** Whether its default export is a function, or a guardrail. */
  readonly kind: 'code' | 'guardrail';
  /** Whether it may ask models. Default false. */
  readonly models?: boolean;
}

const keys = new WeakMap<Program, string>();

/** Programs with the same key share an isolate: never those of two organisations. */
export function keyOf(program: Program): string {
  const known = keys.get(program);
  if (known !== undefined) return known;
  const { organisation, id, kind, memoryMb, source } = program;
  const key = createHash('sha256')
    .update(JSON.stringify([organisation, id, kind, memoryMb, source]))
    .digest('base64url');
  keys.set(program, key);
  return key;
}
