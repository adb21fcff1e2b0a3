import { sseFrame } from '../../framing/framing.ts';
import { asArray, asString, type Json, type JsonObject } from '../../json.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import type { Delta, Part, ProviderFault, Usage } from '../neutral.ts';
import { responseError } from './fault.ts';
import { incompleteReason } from './finish.ts';
import { callItemId, type ItemStatus, type NamedCall, reasoningId, reasoningItem, wholeItem } from './output-items.ts';
import { createdAt, type ResponseState, responseId, responseObject } from './response-object.ts';
import { redactedPrefix } from './signatures.ts';
import { type Emit, OpenCall, type OpenItem, OpenMessage, OpenReasoning } from './stream-writer.ts';

type Start = Extract<Delta, { type: 'start' }>;
type Finish = Extract<Delta, { type: 'finish' }>;

export function encodeStream(context: ReplyContext): StreamEncoder {
  const writer = new ResponseWriter(context);
  return { push: (delta) => writer.push(delta) };
}

/** Writes the events of one response. Texts and reasoning are one item at a time; parallel calls stay open side by side. */
class ResponseWriter {
  readonly #context: ReplyContext;
  readonly #emit: Emit;
  #sequence = 0;
  #head: Pick<ResponseState, 'id' | 'model' | 'created' | 'serviceTier'> | undefined;
  #ended = false;
  /** Every item by its output index: closed ones as they were sent. */
  readonly #output: (JsonObject | OpenItem)[] = [];
  readonly #open = new Map<OpenItem, number>();
  #message: OpenMessage | undefined;
  #reasoning: OpenReasoning | undefined;
  readonly #calls = new Map<number, OpenCall>();
  #logprobs: Json[] = [];
  #usage: Usage | undefined;
  #finish: Finish | undefined;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#emit = (type, fields) => {
      const event = { type, sequence_number: this.#sequence, ...fields };
      this.#sequence += 1;
      return sseFrame(JSON.stringify(event), type);
    };
  }

  push(delta: Delta): string {
    if (this.#ended) return '';
    if ('choice' in delta && delta.choice !== undefined && delta.choice !== 0) {
      this.#context.dropped('choices');
      return '';
    }
    return this.#head === undefined ? this.#begin(delta) + this.#write(delta) : this.#write(delta);
  }

  #begin(delta: Delta): string {
    const start: Start = delta.type === 'start' ? delta : { type: 'start', id: '', model: '' };
    this.#head = {
      id: responseId(start.id, this.#context),
      model: start.model || (asString(this.#context.request.model) ?? ''),
      created: createdAt(start.created, this.#context),
      serviceTier: start.serviceTier,
    };
    this.#usage = start.usage;
    const response = this.#response('in_progress');
    return this.#emit('response.created', { response }) + this.#emit('response.in_progress', { response });
  }

  #write(delta: Delta): string {
    switch (delta.type) {
      case 'text':
        return this.#text(delta.block, delta.text);
      case 'refusal':
        return this.#inMessage((message) => message.refusal(delta.block, delta.text));
      case 'citation':
        return this.#inMessage((message) => {
          const { text, written } = message.citation(delta.block, delta.citation);
          if (!written) this.#context.dropped('citations');
          return text;
        });
      case 'thinking':
        return this.#inReasoning(delta.block, delta.itemId, (reasoning) => reasoning.text(delta.text));
      case 'signature':
        return this.#inReasoning(delta.block, undefined, (reasoning) => {
          reasoning.payload(delta.signature);
          return '';
        });
      case 'redacted-thinking': {
        const id = reasoningId(delta.itemId, this.#context);
        return this.#whole(reasoningItem(id, '', `${redactedPrefix}${delta.data}`));
      }
      case 'tool-call':
        return this.#call(delta.block, delta);
      case 'tool-arguments':
        return this.#calls.get(delta.block)?.arguments(delta.text) ?? '';
      case 'part':
        return this.#part(delta.block, delta.part);
      case 'audio': {
        this.#context.dropped('audio');
        const transcript = asString(delta.audio.transcript);
        return transcript === undefined ? '' : this.#text(-1, transcript);
      }
      case 'logprobs':
        this.#keepLogprobs(asArray(delta.logprobs.content));
        return '';
      case 'finish':
        this.#finish = delta;
        return '';
      case 'usage':
        this.#usage = delta.usage;
        return '';
      case 'fault':
        return this.#fail(delta.fault);
      case 'end':
        return this.#end();
      case 'start':
      case 'extra':
        return '';
    }
  }

  #text(block: number, text: string): string {
    if (text === '' && this.#message === undefined) return '';
    const logprobs = this.#logprobs;
    this.#logprobs = [];
    return this.#inMessage((message) => message.text(block, text, logprobs));
  }

  #keepLogprobs(logprobs: readonly Json[]): void {
    if (this.#message?.lateLogprobs(logprobs) === true) return;
    for (const logprob of logprobs) this.#logprobs.push(logprob);
  }

  #inMessage(write: (message: OpenMessage) => string): string {
    if (this.#message !== undefined) return write(this.#message);
    const closed = this.#closeAll('completed');
    const message = new OpenMessage(this.#emit, this.#context.newId('msg_'), this.#output.length);
    this.#message = message;
    this.#track(message);
    return closed + message.open() + write(message);
  }

  #inReasoning(block: number, id: string | undefined, write: (reasoning: OpenReasoning) => string): string {
    if (this.#reasoning?.block === block) return write(this.#reasoning);
    const closed = this.#closeAll('completed');
    const ownId = reasoningId(id, this.#context);
    const reasoning = new OpenReasoning(this.#emit, ownId, this.#output.length, block);
    this.#reasoning = reasoning;
    this.#track(reasoning);
    return closed + reasoning.open() + write(reasoning);
  }

  #call(block: number, call: NamedCall): string {
    const closed = this.#message === undefined && this.#reasoning === undefined ? '' : this.#closeAll('completed');
    const opened = new OpenCall(this.#emit, callItemId(call, this.#context), this.#output.length, call);
    this.#calls.set(block, opened);
    this.#track(opened);
    return closed + opened.open();
  }

  #part(block: number, part: Part): string {
    if (part.type === 'text') return this.#text(block, part.text);
    const item = wholeItem(part, this.#context);
    return item === undefined ? '' : this.#whole(item);
  }

  /** An item that comes at once. */
  #whole(item: JsonObject): string {
    const closed = this.#closeAll('completed');
    const place = { output_index: this.#output.length, item };
    this.#output.push(item);
    return closed + this.#emit('response.output_item.added', place) + this.#emit('response.output_item.done', place);
  }

  #track(item: OpenItem): void {
    this.#open.set(item, this.#output.length);
    this.#output.push(item);
  }

  #closeAll(status: ItemStatus): string {
    let text = '';
    for (const [item, index] of this.#open) {
      text += item.close(status);
      this.#output[index] = item.item(status);
    }
    this.#open.clear();
    this.#calls.clear();
    this.#message = undefined;
    this.#reasoning = undefined;
    return text;
  }

  #end(): string {
    this.#ended = true;
    const incomplete = incompleteReason(this.#finish?.reason);
    const status = incomplete === undefined ? 'completed' : 'incomplete';
    return (
      this.#closeAll(status) + this.#emit(`response.${status}`, { response: this.#response(status, { incomplete }) })
    );
  }

  #fail(fault: ProviderFault): string {
    this.#ended = true;
    return this.#emit('response.failed', { response: this.#response('failed', { error: responseError(fault) }) });
  }

  #response(status: ResponseState['status'], more: Pick<ResponseState, 'error' | 'incomplete'> = {}): JsonObject {
    const head = this.#head ?? { id: '', model: '', created: 0 };
    const output = this.#output.map((item) => (isOpen(item) ? item.item('incomplete') : item));
    const usage = status === 'in_progress' ? undefined : this.#usage;
    return responseObject({ ...head, ...more, status, output, usage }, this.#context);
  }
}

function isOpen(item: JsonObject | OpenItem): item is OpenItem {
  return typeof item.close === 'function';
}
