import {
  type Delta,
  dialects,
  type GenerationDialect,
  type MaybePromise,
  type ReplyContext,
  type ReplySink,
  type ReplyStream,
  type TextEdit,
} from 'portcullis/sdk';
import type { StreamRule } from '../../../plugins/guardrails/definition/hook.ts';
import { whenDone } from '../../../plugins/guardrails/run/settled.ts';
import type { Reading } from '../../../plugins/guardrails/scan/reading.ts';
import type { ClientFormat } from '../../../plugins/guardrails/stream/events.ts';
import { behindSaid, heldAlone } from '../../../plugins/guardrails/stream/said.ts';
import type { Looked } from '../../../plugins/guardrails/stream/window-options.ts';
import { WindowedStream } from '../../../plugins/guardrails/stream/windowed.ts';

/** A stream that says what a test tells it to say. */
export class Source implements ReplyStream {
  #sink: ReplySink | undefined;
  resumed = 0;
  aborted = false;

  pipe(sink: ReplySink): void {
    this.#sink = sink;
  }

  resume(): void {
    this.resumed += 1;
  }

  abort(): void {
    this.aborted = true;
  }

  /** Whether more may come. */
  push(chunk: Uint8Array | string): boolean {
    return this.#sink?.data(chunk) ?? false;
  }

  end(): void {
    this.#sink?.end();
  }

  break(error: Error): void {
    this.#sink?.error(error);
  }
}

/** A client that keeps what it gets. */
export class Client implements ReplySink {
  bytes = '';
  takes = true;
  ended = 0;
  broken: Error | undefined;

  data(chunk: Uint8Array | string): boolean {
    this.bytes += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return this.takes;
  }

  end(): void {
    this.ended += 1;
  }

  error(error: Error): void {
    this.broken = error;
  }
}

export function contextOf(request: ReplyContext['request'] = {}): ReplyContext {
  let made = 0;
  return {
    strict: false,
    reasoningField: 'reasoning_content',
    dropped: () => {},
    request: { model: 'm', ...request },
    newId: (prefix) => {
      made += 1;
      return `${prefix}${made}`;
    },
    nowSeconds: () => 1_700_000_000,
  };
}

/** Steps as a provider of the dialect sends them. */
export function wireOf(deltas: readonly Delta[], dialect: GenerationDialect = dialects.chat): string {
  const encoder = dialect.encodeStream(contextOf({ stream_options: { include_usage: true } }));
  return deltas.map((delta) => encoder.push(delta)).join('');
}

/** What a client of the dialect understands. */
export function understood(bytes: string, dialect: GenerationDialect = dialects.chat): readonly Delta[] {
  const decoder = dialect.decodeStream(contextOf());
  const frames = bytes
    .split('\n\n')
    .map((event) => event.split('\n').filter((line) => !line.startsWith(':')))
    .filter((lines) => lines.some((line) => line.startsWith('data: ')))
    .map((lines) => {
      const event = lines.find((line) => line.startsWith('event: '))?.slice(7);
      const data = lines.find((line) => line.startsWith('data: '))?.slice(6) ?? '';
      return event === undefined ? { data } : { data, event };
    });
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

export function textOf(deltas: readonly Delta[], type: Delta['type'] = 'text', choice = 0): string {
  return deltas
    .map((delta) => (delta.type === type && 'text' in delta && delta.choice === choice ? delta.text : ''))
    .join('');
}

export const start: Delta = { type: 'start', id: 'chatcmpl-1', model: 'm', created: 1_700_000_000 };
export const text = (said: string, choice = 0, block = 0): Delta => ({ type: 'text', choice, block, text: said });
export const finish = (choice = 0): Delta => ({ type: 'finish', choice, reason: 'stop' });
export const end: Delta = { type: 'end' };
/** A source of the text before it. */
export const citation = (title: string): Delta => ({
  type: 'citation',
  choice: 0,
  block: 0,
  citation: {
    type: 'web_search_result_location',
    url: 'https://a.example/',
    title,
    cited_text: '',
    encrypted_index: 'e',
  },
});

/** An answer of one text. */
export function answer(...pieces: readonly string[]): readonly Delta[] {
  return [start, ...pieces.map((piece) => text(piece)), finish(), end];
}

const passed: Looked = { runs: [], denied: false, replacement: undefined, edits: new Map() };

/** A look that lets pass. */
export const pass = (): Looked => passed;

/** A look that masks what a pattern with the flag g matches. */
export const mask =
  (pattern: RegExp, replacement = '[X]') =>
  (reading: Reading): Looked => {
    const edits = new Map<string, readonly TextEdit[]>();
    for (const { path, text: said } of reading.fragments) {
      const found = [...said.matchAll(pattern)].map(({ index, 0: matched }) => ({
        start: index,
        end: index + matched.length,
        with: replacement,
      }));
      if (found.length > 0) edits.set(String(path[0]), found);
    }
    return { ...passed, edits };
  };

/** A look that denies where a pattern without flags matches. */
export const deny =
  (pattern: RegExp, replacement?: string) =>
  (reading: Reading): Looked => ({
    ...passed,
    denied: reading.fragments.some((fragment) => pattern.test(fragment.text)),
    replacement,
  });

export interface Windows {
  readonly source: Source;
  readonly client: Client;
  readonly window: WindowedStream;
  /** Whether the reply was denied before any of it went out. */
  readonly opened: Promise<boolean>;
  /** Most characters that were looked at at once. */
  longest(): number;
}

/** A stream in windows, with a client that is there from the first byte. */
export function windows(
  look: (reading: Reading) => MaybePromise<Looked>,
  rule: Partial<StreamRule> = {},
  {
    dialect = dialects.chat,
    now = () => 0,
    whole = false,
  }: { dialect?: ClientFormat; now?: () => number; whole?: boolean } = {},
): Windows {
  const source = new Source();
  const client = new Client();
  let longest = 0;
  const window = new WindowedStream({
    source,
    dialect,
    context: contextOf({ stream_options: { include_usage: true } }),
    rule: { mode: 'window', tokens: 8, ms: 500, overlap: 4, ...rule },
    whole,
    look: (reading, _sent, said) => {
      const held = heldAlone(reading, said).fragments.reduce((sum, fragment) => sum + fragment.text.length, 0);
      longest = Math.max(longest, held);
      return whenDone(look(reading), (looked) => ({ ...looked, edits: behindSaid(looked.edits, said) }));
    },
    now,
  });
  const opened = window.open();
  window.pipe(client);
  return { source, client, window, opened, longest: () => longest };
}
