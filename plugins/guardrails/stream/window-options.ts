import type { MaybePromise, ReplyContext, ReplyStream } from 'portcullis/sdk';
import type { StreamRule } from '../definition/hook.ts';
import type { HookRun } from '../run/runs.ts';
import type { Reading } from '../scan/reading.ts';
import type { ClientFormat } from './events.ts';
import type { SaidEnds } from './said.ts';
import type { HeldEdits, SentTails } from './window-buffer.ts';

/** What a look at held text came to. */
export interface Looked {
  readonly runs: readonly HookRun[];
  readonly denied: boolean;
  /** Said in the place of what was denied; undefined: nothing. */
  readonly replacement: string | undefined;
  readonly edits: HeldEdits;
}

export interface WindowOptions {
  readonly source: ReplyStream;
  readonly dialect: ClientFormat;
  readonly context: ReplyContext;
  readonly rule: StreamRule;
  /** Nobody looks before the reply is whole. */
  readonly whole: boolean;
  /**
   * @param reading what is held of each part, behind the end of what has been said of it
   * @param sent the last that the client has got of each part, as it got it
   */
  readonly look: (reading: Reading, sent: SentTails, said: SaidEnds) => MaybePromise<Looked>;
  readonly now: () => number;
}
