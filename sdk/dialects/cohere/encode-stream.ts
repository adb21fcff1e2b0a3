import { asObjects, compact, type JsonObject } from '../../json.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import type { Delta, Usage } from '../neutral.ts';
import { encodeCitation } from './citations.ts';
import { encodeStreamFault, eventText } from './fault.ts';
import { finishWord } from './finish.ts';
import { encodeLogprobs } from './logprobs.ts';
import { encodeUsage } from './usage.ts';

/** Writes the events of one answer; deltas of further answers are dropped. */
export function encodeStream(context: ReplyContext): StreamEncoder {
  const blocks = new BlockWriter(context);
  let id = '';
  let usage: Usage | undefined;
  let word = finishWord('stop', undefined);
  let closed = false;

  const push = (delta: Delta): string => {
    switch (delta.type) {
      case 'start':
        ({ id, usage } = delta);
        return event({ type: 'message-start', id, delta: { message: { role: 'assistant' } } });
      case 'usage':
        usage = delta.usage;
        return '';
      case 'finish':
        if (delta.choice === 0) word = finishWord(delta.reason, delta.native);
        return '';
      case 'fault':
        closed = true;
        return blocks.close() + encodeStreamFault(delta.fault);
      case 'end':
        closed = true;
        return blocks.close() + event({ type: 'message-end', id, delta: lastDelta(word, usage) });
      case 'extra':
        return '';
      default:
        if (delta.choice === 0) return blocks.push(delta);
        context.dropped('choices');
        return '';
    }
  };
  return { push: (delta) => (closed ? '' : push(delta)) };
}

function lastDelta(word: string, usage: Usage | undefined): JsonObject {
  return compact({ finish_reason: word, usage: usage === undefined ? undefined : encodeUsage(usage) });
}

type PartDelta = Exclude<Delta, { type: 'start' | 'usage' | 'finish' | 'fault' | 'end' | 'extra' }>;

/** Writes the parts of a message: which one is open, and the number that it has among those of its kind. */
class BlockWriter {
  readonly #context: ReplyContext;
  #open: { readonly block: number; readonly kind: 'content' | 'tool-call'; readonly index: number } | undefined;
  #contents = 0;
  #calls = 0;

  constructor(context: ReplyContext) {
    this.#context = context;
  }

  push(delta: PartDelta): string {
    switch (delta.type) {
      case 'text':
      case 'refusal':
        return this.#content(delta.block, { type: 'text', text: '' }, { text: delta.text });
      case 'thinking':
        return this.#content(delta.block, { type: 'thinking', thinking: '' }, { thinking: delta.text });
      case 'tool-call': {
        const call = { id: delta.id, type: 'function', function: { name: delta.name, arguments: '' } };
        return this.#enter(delta.block, 'tool-call', { tool_calls: call });
      }
      case 'tool-arguments':
        return this.#delta('tool-call-delta', { tool_calls: { function: { arguments: delta.text } } });
      case 'citation':
        return this.#citation(delta.citation);
      case 'logprobs':
        return encodeLogprobs(delta.logprobs)
          .flatMap((item) => asObjects([item]))
          .map((item) => event({ type: 'content-delta', index: this.#open?.index ?? 0, logprobs: item, delta: {} }))
          .join('');
      default:
        this.#context.dropped(`message.content.${delta.type}`);
        return '';
    }
  }

  close(): string {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? '' : event({ type: `${open.kind}-end`, index: open.index });
  }

  #content(block: number, first: JsonObject, text: JsonObject): string {
    return this.#enter(block, 'content', { content: first }) + this.#delta('content-delta', { content: text });
  }

  #enter(block: number, kind: 'content' | 'tool-call', message: JsonObject): string {
    if (this.#open?.block === block && this.#open.kind === kind) return '';
    const closing = this.close();
    const index = kind === 'content' ? this.#contents++ : this.#calls++;
    this.#open = { block, kind, index };
    return closing + event({ type: `${kind}-start`, index, delta: { message } });
  }

  #delta(type: string, message: JsonObject): string {
    return event({ type, index: this.#open?.index ?? 0, delta: { message } });
  }

  #citation(citation: JsonObject): string {
    const own = encodeCitation(citation);
    if (own === undefined) {
      this.#context.dropped('citations');
      return '';
    }
    const index = this.#open?.index ?? 0;
    return this.#delta('citation-start', { citations: own }) + event({ type: 'citation-end', index });
  }
}

function event(fields: { readonly type: string } & JsonObject): string {
  return eventText(fields, fields.type);
}
