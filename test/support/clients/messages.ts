import type Anthropic from '@anthropic-ai/sdk';
import { asObject } from 'portcullis/sdk';
import { type Answer, type Ask, headersFor, offeredTools } from './conversation.ts';

type Messages = Anthropic.MessageParam[];

const finishes: Readonly<Record<string, string>> = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' };

/** Asks with `@anthropic-ai/sdk` over messages. */
export const askMessages: Ask = async (gateway, question) => {
  const client = gateway.anthropic(headersFor(question));
  const once = async (messages: Messages): Promise<Anthropic.Message> => {
    const body = {
      model: question.model,
      max_tokens: 4096,
      messages,
      ...(question.scenario === 'tools' ? { tools: offeredTools.map(toolOf) } : {}),
      ...(question.scenario === 'thinking'
        ? { thinking: { type: 'enabled' as const, budget_tokens: 1024, display: 'summarized' as const } }
        : {}),
    };
    return question.stream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
  };

  const asked: Messages = [{ role: 'user', content: 'What is the weather like?' }];
  const message = await once(asked);
  const answer = answerOf(message);
  return {
    answer,
    results: async (texts) => {
      const content = answer.calls.map(({ id }, index) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: texts[index] ?? '',
      }));
      return answerOf(
        await once([...asked, { role: 'assistant', content: message.content }, { role: 'user', content }]),
      );
    },
  };
};

function answerOf({ content, stop_reason: stop, usage }: Anthropic.Message): Answer {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: asObject(block.input) ?? {} }] : [],
    ),
    finish: finishes[stop ?? ''] ?? String(stop),
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
  };
}

function toolOf({ name, description, schema }: (typeof offeredTools)[number]): Anthropic.Tool {
  return { name, description, input_schema: schema };
}
