import type OpenAI from 'openai';
import { type Answer, type Ask, argumentsOf, headersFor, offeredTools } from './conversation.ts';

type Input = OpenAI.Responses.ResponseInput;

/** Asks with `openai` over responses. */
export const askResponses: Ask = async (gateway, question) => {
  const client = gateway.openai(headersFor(question));
  const once = async (input: Input): Promise<OpenAI.Responses.Response> => {
    const body = {
      model: question.model,
      input,
      ...(question.scenario === 'tools' ? { tools: offeredTools.map(toolOf) } : {}),
      ...(question.scenario === 'thinking' ? { reasoning: { effort: 'low' as const, summary: 'auto' as const } } : {}),
    };
    return question.stream ? client.responses.stream(body).finalResponse() : client.responses.create(body);
  };

  const asked: Input = [{ role: 'user', content: 'What is the weather like?' }];
  const response = await once(asked);
  const answer = answerOf(response);
  return {
    answer,
    results: async (texts) => {
      const outputs = answer.calls.map(({ id }, index) => ({
        type: 'function_call_output' as const,
        call_id: id,
        output: texts[index] ?? '',
      }));
      return answerOf(await once([...asked, ...(response.output as Input), ...outputs]));
    },
  };
};

function answerOf({ output, output_text: text, status, usage }: OpenAI.Responses.Response): Answer {
  const calls = output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ id: item.call_id, name: item.name, arguments: argumentsOf(item.arguments) }]
      : [],
  );
  if (usage && usage.total_tokens !== usage.input_tokens + usage.output_tokens) throw new Error('The total is no sum.');
  return {
    text,
    thinking: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary.map((part) => part.text) : []))
      .join(''),
    calls,
    finish: status !== 'completed' ? String(status) : calls.length > 0 ? 'tool_calls' : 'stop',
    input: usage?.input_tokens ?? -1,
    output: usage?.output_tokens ?? -1,
  };
}

function toolOf({ name, description, schema }: (typeof offeredTools)[number]): OpenAI.Responses.FunctionTool {
  return { type: 'function', name, description, parameters: schema, strict: false };
}
