/**
 * What the gateway's process and the sandbox's tell each other; some of it with a text, which is told apart. Everything of a guest
 * travels as text: JSON, never objects.
 */
export type ToChild =
  /** With the program's source. */
  | { readonly type: 'load'; readonly key: string; readonly memoryMb: number }
  | { readonly type: 'unload'; readonly key: string }
  /** With the payload. */
  | {
      readonly type: 'run';
      readonly id: number;
      readonly key: string;
      readonly timeoutMs: number;
      /** It is expected to be over soon: it may take the process's own thread. */
      readonly quick: boolean;
    }
  /** Nobody waits for the run any more. */
  | { readonly type: 'stop'; readonly id: number }
  /** With the answer. */
  | { readonly type: 'answer'; readonly id: number; readonly call: number };

export type FromChild =
  | { readonly type: 'ready' }
  /** With the result. `quick`: it took little time, and needed nobody. */
  | { readonly type: 'done'; readonly id: number; readonly quick: boolean }
  /** A quick run gives the process's own thread back without a result; `cut`: it had to, and begins anew. */
  | { readonly type: 'waits'; readonly id: number; readonly cut: boolean }
  | { readonly type: 'failed'; readonly id: number; readonly fault: Fault; readonly message?: string }
  /** With the arguments. */
  | { readonly type: 'call'; readonly id: number; readonly call: number; readonly name: string }
  /** With the line. */
  | { readonly type: 'log'; readonly id: number; readonly level: string }
  /** The process should start no more runs: a thread of it may be lost, or it has grown too big. */
  | { readonly type: 'worn'; readonly why: string };

export type Tell<Message> = (message: Message, text?: string) => void;

/**
 * Why a run gave no result: its time was up; it took more memory than it may; it broke off, as by a promise that was
 * rejected and that nobody handles; another run of the same program took the isolate with it; it was told to stop, and did.
 */
export type Fault = 'timeout' | 'memory' | 'broken' | 'disturbed' | 'stopped';

/** The longest that a guest's result may be, in characters of JSON. */
export const maxResult = 256 * 1024;
/** The longest that the arguments of one call may be, in characters of JSON; and with their long texts. */
export const maxArguments = 64 * 1024;
export const maxTexts = 1.25 * 1024 * 1024;
/** Calls to the host in one run, whatever they are. */
export const maxCalls = 200;
export const maxLogLines = 20;
export const maxLogText = 1024;
/** How long the top level of a program may run each time it is made ready. */
export const loadMs = 1000;
/** What a quick run may take of the time of the process's own thread; and how little makes the next ones quick. */
export const cutMs = 20;
export const quickMs = 5;
/** A quick run that the process says nothing about for so long cannot be cut off: the process is stuck in it. */
export const stuckMs = 250;
/** The longest payload of a quick run, in characters: nothing cuts off what reads it. */
export const maxQuickPayload = 256 * 1024;
/** After a run's time: what the sandbox's process may take to end it, and then what the gateway waits before it kills that. */
export const childGraceMs = 50;
export const parentGraceMs = 150;
/** The descriptor of the pipe between the two, in the sandbox's process. */
export const pipe = 3;
/** The longest that the sandbox's process may say at once, in bytes: the arguments of a call, two bytes a character. */
export const maxMessage = 4 * 1024 * 1024;
