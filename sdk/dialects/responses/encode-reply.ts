import { asArray, type Json, type JsonObject } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Choice, Completion, Part } from '../neutral.ts';
import { annotationOf } from './citations.ts';
import { incompleteReason } from './finish.ts';
import {
  callItem,
  callItemId,
  messageItem,
  reasoningId,
  reasoningItem,
  textContent,
  wholeItem,
} from './output-items.ts';
import { createdAt, responseId, responseObject } from './response-object.ts';
import { redactedPrefix } from './signatures.ts';

/** Writes a response object. The format has one choice: the first. */
export function encodeReply(completion: Completion, context: ReplyContext): JsonObject {
  const [choice] = completion.choices;
  if (completion.choices.length > 1) context.dropped('choices');
  const incomplete = incompleteReason(choice?.finish);
  return responseObject(
    {
      id: responseId(completion.id, context),
      model: completion.model,
      created: createdAt(completion.created, context),
      status: incomplete === undefined ? 'completed' : 'incomplete',
      incomplete,
      output: choice === undefined ? [] : outputOf(choice, incomplete !== undefined, context),
      usage: completion.usage,
      serviceTier: completion.serviceTier,
    },
    context,
  );
}

/** The items of an answer; of one that was cut off, the last item is incomplete. */
function outputOf(choice: Choice, cut: boolean, context: ReplyContext): readonly JsonObject[] {
  const groups = groupsOf(choice.parts);
  // Log probabilities do not say which text they belong to: they go with the first.
  let logprobs = asArray(choice.logprobs?.content);
  return groups.flatMap((group, index): readonly JsonObject[] => {
    const status = cut && index === groups.length - 1 ? 'incomplete' : 'completed';
    if (!Array.isArray(group)) {
      const item = itemOf(group, status, context);
      return item === undefined ? [] : [item];
    }
    const content = group.flatMap((part) => {
      const written = contentOf(part, logprobs, context);
      if (written?.type === 'output_text') logprobs = [];
      return written ?? [];
    });
    return content.length === 0 ? [] : [messageItem(context.newId('msg_'), status, content)];
  });
}

/** Neighbouring texts and refusals share a message; everything else is an item by itself. */
function groupsOf(parts: readonly Part[]): readonly (Part | Part[])[] {
  const groups: (Part | Part[])[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (!isContent(part)) groups.push(part);
    else if (Array.isArray(last)) last.push(part);
    else groups.push([part]);
  }
  return groups;
}

function isContent(part: Part): boolean {
  return part.type === 'text' || part.type === 'refusal' || part.type === 'audio';
}

function contentOf(part: Part, logprobs: readonly Json[], context: ReplyContext): JsonObject | undefined {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  if (part.type === 'text') {
    const { text } = part;
    const annotations = (part.citations ?? []).flatMap((citation) => annotationOf(citation, text.length) ?? []);
    if (annotations.length < (part.citations?.length ?? 0)) context.dropped('citations');
    return textContent(text, annotations, logprobs);
  }
  context.dropped('audio');
  return part.type === 'audio' && part.transcript ? textContent(part.transcript, [], []) : undefined;
}

function itemOf(part: Part, status: 'completed' | 'incomplete', context: ReplyContext): JsonObject | undefined {
  switch (part.type) {
    case 'tool-call':
      return callItem(callItemId(part, context), status, part, part.arguments || (part.custom ? '' : '{}'));
    case 'thinking':
      return reasoningItem(reasoningId(part.itemId, context), part.text, part.signature);
    case 'redacted-thinking':
      return reasoningItem(reasoningId(part.itemId, context), '', `${redactedPrefix}${part.data}`);
    case 'text':
    case 'refusal':
    case 'audio':
    case 'image':
    case 'file':
    case 'tool-result':
    case 'native':
      return wholeItem(part, context);
  }
}
