import type OpenAI from 'openai';
import { asObject, asObjects, asString, type Json, type JsonObject } from 'portcullis/sdk';
import type { WireDialect } from '../recordings.ts';
import { type Answer, type Ask, argumentsOf, headersFor, offeredTools } from './conversation.ts';

type Messages = OpenAI.ChatCompletionMessageParam[];

/** Asks with `openai` over chat completions. */
export const askChat: Ask = async (gateway, question) => {
  const client = gateway.openai(headersFor(question));
  const once = async (messages: Messages): Promise<{ answer: Answer; message: OpenAI.ChatCompletionMessage }> => {
    const body = {
      model: question.model,
      messages,
      ...(question.scenario === 'tools' ? { tools: offeredTools.map(toolOf) } : {}),
      ...(question.scenario === 'thinking' ? thinkingFields(question.wire) : {}),
    };
    if (!question.stream) {
      const completion = await client.chat.completions.create(body);
      return answered(completion, thinkingOf(asObject(completion.choices[0]?.message)));
    }
    let thinking = '';
    const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
    stream.on('chunk', (chunk) => {
      thinking += thinkingOf(asObject(chunk.choices[0]?.delta));
    });
    return answered(await stream.finalChatCompletion(), thinking);
  };

  const asked: Messages = [{ role: 'user', content: 'What is the weather like?' }];
  const { answer, message } = await once(asked);
  return {
    answer,
    results: async (texts) => {
      const results = answer.calls.map(({ id }, index) => ({
        role: 'tool' as const,
        tool_call_id: id,
        content: texts[index] ?? '',
      }));
      return (await once([...asked, message, ...results])).answer;
    },
  };
};

function answered(
  completion: OpenAI.ChatCompletion,
  thinking: string,
): { answer: Answer; message: OpenAI.ChatCompletionMessage } {
  const choice = completion.choices[0];
  if (choice === undefined) throw new Error('There is no choice.');
  const { message, finish_reason: finish } = choice;
  const calls = (message.tool_calls ?? []).map((call) => {
    if (call.type !== 'function') throw new Error(`The call ${call.id} is of type ${call.type}.`);
    return { id: call.id, name: call.function.name, arguments: argumentsOf(call.function.arguments) };
  });
  const { usage } = completion;
  if (usage !== undefined && usage.total_tokens !== usage.prompt_tokens + usage.completion_tokens)
    throw new Error('The total is no sum.');
  const answer = {
    text: message.content ?? '',
    thinking,
    calls,
    finish,
    input: usage?.prompt_tokens ?? -1,
    output: usage?.completion_tokens ?? -1,
  };
  return { answer, message };
}

/** Compatible servers say it in `reasoning_content`, the gateway in `content_blocks`, whole or in pieces. */
function thinkingOf(message: Json | undefined): string {
  const fields = asObject(message) ?? {};
  const blocks = asObjects(fields.content_blocks).map(
    (block) => asString((asObject(block.delta) ?? block).thinking) ?? '',
  );
  return (asString(fields.reasoning_content) ?? '') + blocks.join('');
}

/** An effort is all that the format has; `thinking`, an extra of the gateway, also says that it should be shown. */
function thinkingFields(wire: WireDialect): { reasoning_effort?: 'low'; thinking?: JsonObject } {
  if (wire === 'chat' || wire === 'gemini') return { reasoning_effort: 'low' };
  return { thinking: { type: 'enabled', budget_tokens: 1024, display: 'summarized' } };
}

function toolOf({ name, description, schema }: (typeof offeredTools)[number]): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: schema } };
}
