import type { CheckPhase, JsonObject, ReadyCheck } from 'portcullis/sdk';

/** Which texts a check looks at; of a reply, every scope covers all that the model says. */
export const scanScopes = ['last_message', 'last_user_message', 'user_messages', 'all_messages'] as const;
export type ScanScope = (typeof scanScopes)[number];

/** What a check that gives no verdict counts as. */
export type ErrorPolicy = 'deny' | 'pass';

export interface HookCheck {
  readonly ready: ReadyCheck;
  readonly scope: ScanScope;
  /** Leaves out what tools of the client wrap around what its user says. */
  readonly strip: boolean;
  readonly softDeny: boolean;
  readonly onError: ErrorPolicy;
  readonly timeoutMs: number;
  /** Lower-case names. */
  readonly forwardHeaders: readonly string[];
  /** Given with the guardrail itself; undefined: those that are stored. */
  readonly credentials: JsonObject | undefined;
}

export interface FeedbackRule {
  /** -10 to 10. */
  readonly value: number;
  /** 0 to 1. */
  readonly weight: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** How a guardrail looks at streamed replies. */
export interface StreamRule {
  /** after: once the stream is over. window: piece by piece, before the client gets it. */
  readonly mode: 'after' | 'window';
  /** Most tokens, of about four characters, that are held back for one look. */
  readonly tokens: number;
  /**
   * Longest time that a piece waits for more to look at together, in milliseconds; what is looked at again waits as long
   * once more.
   */
  readonly ms: number;
  /** Tokens of the piece before that are looked at again, so that nothing hides in a cut. */
  readonly overlap: number;
}

/** One guardrail, or one mutator, ready to run in one phase. */
export interface Hook {
  /** Stands in results. */
  readonly id: string;
  readonly type: 'guardrail' | 'mutator';
  readonly checks: readonly HookCheck[];
  readonly deny: boolean;
  readonly async: boolean;
  readonly sequential: boolean;
  /** It runs to be watched: no verdict of it has an effect. */
  readonly shadow: boolean;
  readonly onSuccess: FeedbackRule | undefined;
  readonly onFail: FeedbackRule | undefined;
  readonly versionId: string | undefined;
  readonly stream: StreamRule;
  /** What a soft denial says in the place of the model. */
  readonly message: string | undefined;
}

/** The hooks of a phase, in the order in which they are named. */
export interface HookList {
  readonly hooks: readonly Hook[];
  /** The defaults among them: nothing that a caller adds may undo what they do. */
  readonly imposed: ReadonlySet<Hook>;
}

export const noHooks: HookList = Object.freeze({ hooks: [], imposed: new Set<Hook>() });

/** A guardrail with all of its checks switched off is not there. */
export function switchedOn(list: HookList): HookList {
  const { hooks } = list;
  if (hooks.every(hasChecks)) return list;
  return { ...list, hooks: hooks.filter(hasChecks) };
}

function hasChecks({ checks }: Hook): boolean {
  return checks.length > 0;
}

/** What a guardrail says, whatever list it stands in: before its checks are made ready. */
export interface HookForm {
  readonly id?: string;
  readonly checks: readonly CheckForm[];
  readonly actions: Actions;
}

export type Actions = Omit<Hook, 'id' | 'type' | 'checks'>;

export interface CheckForm {
  readonly id: string;
  readonly parameters: JsonObject;
  readonly softDeny: boolean;
  readonly onError: ErrorPolicy | undefined;
  /** Where its parameters stand, for errors. */
  readonly param: string;
  /** Where its id stands, for errors. */
  readonly idParam: string;
}

/** Where a list of the config puts its hooks. */
export interface Place {
  /** Of a phase and a type there is one. */
  readonly key: `${CheckPhase}/${Hook['type']}`;
  readonly phase: CheckPhase;
  readonly type: Hook['type'];
}
