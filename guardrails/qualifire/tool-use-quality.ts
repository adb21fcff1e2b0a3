import {
  asObject,
  type CheckHost,
  type CheckInput,
  check,
  compact,
  dialects,
  GatewayError,
  type JsonObject,
  type Message,
  type Part,
  parseJson,
  schema,
  type Tool,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { evaluate, mode, remote } from './evaluate.ts';

const dialectOf = { chatComplete: 'chat', messages: 'messages', createModelResponse: 'responses' } as const;

export default check({
  title: 'Qualifire: quality of tool use',
  description: 'Fails a reply that calls the wrong tool, or a tool wrongly. Streamed replies cannot be judged.',
  config: schema.Object({ mode: mode() }, { additionalProperties: false }),
  phases: ['afterRequest'],
  endpoints: ['chatComplete', 'messages', 'createModelResponse'],
  // It judges the conversation as a whole, tools included.
  scans: false,
  remote,
  run(input, given, host: CheckHost<Credentials>) {
    const { messages, tools } = conversationOf(input);
    if (tools.length === 0) return { pass: true, why: 'The request offers no tools.' };
    return evaluate(host, { messages, available_tools: tools, tool_use_quality_check: true, tuq_mode: given.mode });
  },
});

function conversationOf({ endpoint, body, reply, requestId }: CheckInput) {
  const own = endpoint in dialectOf ? dialectOf[endpoint as keyof typeof dialectOf] : undefined;
  // Clients of more than one format ask for a chat.
  const other = reply?.message === undefined ? own : 'cohere';
  const name = body.contents === undefined ? other : 'gemini';
  if (name === undefined || reply === undefined)
    throw new GatewayError('check_failed', 'The tool use of this reply cannot be read.');
  const context = { strict: false, dropped: () => {}, request: body, newId: () => requestId, nowSeconds: () => 0 };
  const call = dialects[name].decodeCall(body, context);
  const [choice] = dialects[name].decodeReply(reply, context).choices;
  const messages = [...call.messages, { role: 'assistant', parts: choice?.parts ?? [] } as const];
  return { messages: messages.map(messageOf), tools: (call.tools ?? []).flatMap(toolOf) };
}

function messageOf({ role, parts }: Message): JsonObject {
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  return compact({
    role: role === 'developer' ? 'system' : role,
    content: textOf(parts),
    tool_calls:
      calls.length === 0
        ? undefined
        : calls.map(({ id, name, arguments: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: asObject(parseJson(given)) ?? { input: given } },
          })),
  });
}

function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'tool-result' ? [textOf(part.content)] : []))
    .join('\n');
}

/** Only functions have a schema that a call can be judged by. */
function toolOf(tool: Tool): readonly JsonObject[] {
  if (tool.type !== 'function') return [];
  const { name, description = '', parameters = {} } = tool;
  return [{ name, description, parameters }];
}
