import type { Core } from './children.ts';

/** One line of the table: something that stands between the client and the upstream. */
export interface Row {
  readonly name: string;
  /** What is switched on, for the legend. */
  readonly about: string;
  /** @param upstream - origin of the fake provider, such as `http://127.0.0.1:4100` */
  start(upstream: string, core: Core): Promise<RunningRow>;
}

export interface RunningRow {
  readonly origin: string;
  /** Sent with every request beside the content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whose CPU time and memory count; undefined when nothing stands between. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}
