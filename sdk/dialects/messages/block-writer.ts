import { sseFrame } from '../../framing/framing.ts';
import { asObject, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Delta } from '../neutral.ts';
import { packToolCallId } from '../tool-call-id.ts';
import { type ArgumentText, createArgumentText } from './argument-text.ts';
import { encodeCitation } from './citation.ts';
import { encodeReplyPart } from './encode-reply.ts';

/** The steps that belong to a numbered block. */
export type BlockStep = Extract<Delta, { readonly block: number }>;

interface OpenBlock {
  /** The neutral number. */
  readonly block: number;
  readonly kind: 'text' | 'thinking' | 'tool_use';
  readonly argumentText: ArgumentText | undefined;
}

/** Writes content blocks one at a time, with an index that counts up. */
export interface BlockWriter {
  push(step: BlockStep): string;
  /** Closes what is open and writes what was held back. */
  finish(): string;
}

/** One SSE event of this format: its name is its type. */
export function event(type: string, fields: JsonObject): string {
  return sseFrame(JSON.stringify({ type, ...fields }), type);
}

/**
 * The format nests nothing and never comes back to a block, but other formats may interleave the arguments of parallel tool
 * calls. So while a tool call is open and its JSON object incomplete, the steps of later blocks are held back; they follow
 * once it is complete, or when the answer finishes. Text and thinking close as soon as another block begins; what comes for
 * them later is a block of its own.
 */
export function createBlockWriter(context: CodecContext): BlockWriter {
  let index = -1;
  let open: OpenBlock | undefined;
  /** Steps of later blocks, by block, in the order in which the blocks began. */
  const held = new Map<number, BlockStep[]>();
  const called = new Set<number>();

  const start = (block: JsonObject): string => {
    index += 1;
    return event('content_block_start', { index, content_block: block });
  };
  const fragment = (delta: JsonObject): string => event('content_block_delta', { index, delta });
  const json = (text: string): string =>
    text === '' ? '' : fragment({ type: 'input_json_delta', partial_json: text });
  const close = (): string => {
    if (open === undefined) return '';
    const rest = open.argumentText?.end() ?? '';
    open = undefined;
    return json(rest) + event('content_block_stop', { index });
  };
  const within = (kind: 'text' | 'thinking', block: number, delta: JsonObject): string => {
    if (open?.kind === kind && open.block === block) return fragment(delta);
    const before = close();
    open = { block, kind, argumentText: undefined };
    const empty = kind === 'text' ? { type: kind, text: '' } : { type: kind, thinking: '', signature: '' };
    return before + start(empty) + fragment(delta);
  };
  const whole = (block: JsonObject): string => {
    const before = close();
    const input = block.type === 'text' ? undefined : asObject(block.input);
    if (block.type === 'text')
      return before + within('text', -1, { type: 'text_delta', text: block.text as Json }) + close();
    const opening = start(input === undefined ? block : { ...block, input: {} });
    const body = input === undefined ? '' : json(JSON.stringify(input));
    return before + opening + body + event('content_block_stop', { index });
  };

  const write = (step: BlockStep): string => {
    switch (step.type) {
      case 'text':
      case 'refusal':
        return step.text === '' ? '' : within('text', step.block, { type: 'text_delta', text: step.text });
      case 'citation': {
        const citation = encodeCitation(step.citation, context);
        return citation === undefined ? '' : within('text', step.block, { type: 'citations_delta', citation });
      }
      case 'thinking':
        return step.text === '' ? '' : within('thinking', step.block, { type: 'thinking_delta', thinking: step.text });
      case 'signature':
        return within('thinking', step.block, { type: 'signature_delta', signature: step.signature });
      case 'redacted-thinking':
        return whole({ type: 'redacted_thinking', data: step.data });
      case 'part':
        return encodeReplyPart(step.part, context).map(whole).join('');
      case 'tool-call': {
        const before = close();
        const id = packToolCallId(step.id, step.signature);
        open = { block: step.block, kind: 'tool_use', argumentText: createArgumentText(step.custom === true) };
        called.add(step.block);
        return before + start({ type: 'tool_use', id, name: step.name, input: {} });
      }
      case 'tool-arguments':
        // Of a closed call only white space can be left.
        return open?.block === step.block ? json(open.argumentText?.push(step.text) ?? '') : '';
    }
  };

  const waits = (step: BlockStep): boolean =>
    open?.kind === 'tool_use' && step.block !== open.block && !open.argumentText?.complete() && !called.has(step.block);

  const release = (finishing: boolean): string => {
    let text = '';
    for (const [block, steps] of held) {
      if (!finishing && steps[0] !== undefined && waits(steps[0])) break;
      held.delete(block);
      text += steps.map(write).join('');
    }
    return text;
  };

  return {
    push(step) {
      const queue = held.get(step.block);
      if (queue !== undefined) {
        queue.push(step);
        return '';
      }
      if (waits(step)) {
        held.set(step.block, [step]);
        return '';
      }
      const text = write(step);
      return held.size === 0 ? text : text + release(false);
    },
    finish: () => release(true) + close(),
  };
}
