import { readFileSync } from 'node:fs';
import {
  asObject,
  dialects,
  type GenerationDialect,
  type GenerationDialectName,
  parseJson,
  type ReplyContext,
  type ReplySink,
  type Usage,
} from 'portcullis/sdk';
import { StreamedReply } from '../../../core/ledger/counted-reply.ts';
import type { ReplyLedger } from '../../../core/ledger/reply-ledger.ts';
import { ForwardedStream, TranslatedStream } from '../../../core/upstream/reply-streams.ts';
import type { WireStream } from '../../../core/upstream/transport.ts';
import { type LedgerParts, replyLedger, streamedReply } from './ledgers.ts';

const folder = new URL('./recorded/', import.meta.url);

interface Totals {
  readonly dialect: GenerationDialectName;
  /** How many answers were asked for. */
  readonly answers?: number;
  readonly tier?: string;
  readonly finish?: string;
  readonly usage: Usage;
}

export interface Recording extends Totals {
  readonly name: string;
  readonly text: string;
  readonly events: readonly string[];
}

const totals = asObject(parseJson(readFileSync(new URL('totals.json', folder), 'utf8'))) as unknown as Readonly<
  Record<string, Totals>
>;

export const recordings: readonly Recording[] = Object.entries(totals).map(([name, total]) => {
  const text = readFileSync(new URL(`${name}.txt`, folder), 'utf8');
  return { ...total, name, text, events: text.split(/(?<=\n\n)/) };
});

/** A source that the test drives by hand. */
export class HandSource implements WireStream {
  aborted = 0;
  #sink: ReplySink | undefined;

  until(): Promise<void> {
    return Promise.resolve();
  }

  pipe(sink: ReplySink): void {
    this.#sink = sink;
  }

  resume(): void {}

  /** As the transport does: whoever listens is told. */
  abort(): void {
    this.aborted += 1;
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.error(new Error('given up'));
  }

  send(bytes: Uint8Array): void {
    this.#sink?.data(bytes);
  }

  end(): void {
    this.#sink?.end();
  }
}

/** How a reply reaches its client. */
export type Way = 'forwarded' | 'translated';

export interface Opened {
  readonly source: HandSource;
  readonly stream: ForwardedStream | TranslatedStream;
  readonly reply: StreamedReply;
  readonly ledger: ReplyLedger;
}

/** The ways that a format can go: nobody calls this gateway in gemini's. */
const mask = (text: string) => text;

export function waysOf(dialect: GenerationDialectName): readonly Way[] {
  return dialect === 'gemini' ? ['translated'] : ['forwarded', 'translated'];
}

/** A stream of the format on its way, to a client of the messages format where it is translated. */
export function opened(
  { dialect: name, answers }: Pick<Totals, 'dialect' | 'answers'>,
  way: Way,
  parts: LedgerParts = {},
): Opened {
  const dialect: GenerationDialect = dialects[name];
  const source = new HandSource();
  if (way === 'forwarded') {
    const reply = streamedReply(dialect, answers);
    const ledger = replyLedger(reply, parts);
    return {
      source,
      reply,
      ledger,
      stream: new ForwardedStream(source, ledger, { dialect, reply, hidesUsage: false, mask }),
    };
  }
  const context: ReplyContext = {
    strict: true,
    dropped: () => {},
    request: { model: 'm', stream: true, n: answers ?? 1 },
    newId: (prefix) => `${prefix}1`,
    nowSeconds: () => 1,
  };
  const decoder = dialect.decodeStream(context);
  const { framing } = dialect;
  const reply = new StreamedReply(decoder.meter, { dialect, framing, repair: undefined });
  const ledger = replyLedger(reply, parts);
  const encoder = dialects.messages.encodeStream(context);
  const translation = { framing, decoder, encoder, finishReasons: undefined, repair: undefined, mask };
  return { source, reply, ledger, stream: new TranslatedStream(source, ledger, reply, translation) };
}
