import type { LogsSettings } from './settings.ts';

/** What a thread of the logs is for: one writes, one answers questions, one sends bodies to the object store. */
export type ThreadRole = 'write' | 'read' | 'objects';

export interface ThreadData {
  readonly role: ThreadRole;
  readonly settings: LogsSettings;
}

export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** How a call ended; or a line for the log. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ThreadError }
  | {
      readonly line: {
        readonly level: 'debug' | 'info' | 'warn' | 'error';
        readonly event: string;
        readonly fields: object;
      };
    };

export interface ThreadError {
  readonly message: string;
  /** Of a GatewayError. */
  readonly code?: string;
  readonly param?: string;
  /** The store could not be asked: another try in a while may succeed. */
  readonly isAway?: true;
}
