import { asArray, asObject, asObjects, asString, compact, type Json, type JsonObject, omit } from '../json.ts';

const deprecatedTools: ReadonlySet<string> = new Set(['functions', 'function_call']);

/**
 * A chat request for providers that know no `functions` and `function_call`: they become `tools` and `tool_choice`, and so
 * do their traces in the messages. Where the current field is there too, it wins. For `request`.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function functionsAsTools(body: JsonObject): JsonObject {
  const { functions, function_call } = body;
  const messages = currentMessages(body.messages);
  if (functions === undefined && function_call === undefined && messages === body.messages) return body;
  const tools = functions === undefined ? undefined : asArray(functions).map(toolOf);
  return compact({
    ...omit(body, deprecatedTools),
    messages,
    tools: body.tools ?? tools,
    tool_choice: body.tool_choice ?? choiceOf(function_call),
  });
}

const toolOf = (definition: Json): JsonObject => ({ type: 'function', function: definition });

/** `auto`, `none`, or `{ name }`. */
function choiceOf(choice: Json | undefined): Json | undefined {
  const name = asString(asObject(choice)?.name);
  return name === undefined ? choice : { type: 'function', function: { name } };
}

/** The very same list when it holds neither calls nor results of the deprecated form. */
function currentMessages(given: Json | undefined): Json | undefined {
  const isOld = (message: JsonObject) => message.role === 'function' || asObject(message.function_call) !== undefined;
  if (!asObjects(given).some(isOld)) return given;
  const open = new Map<string, string>();
  return asArray(given).map((item, index) => {
    const message = asObject(item);
    return message === undefined ? item : currentMessage(message, `call_${index}`, open);
  });
}

const calledBefore: ReadonlySet<string> = new Set(['function_call']);
const resultBefore: ReadonlySet<string> = new Set(['name']);

/** @param open the id of the last call of each function name, for its result */
function currentMessage(message: JsonObject, id: string, open: Map<string, string>): JsonObject {
  const called = asObject(message.function_call);
  if (called !== undefined) {
    open.set(asString(called.name) ?? '', id);
    return { ...omit(message, calledBefore), tool_calls: [{ id, type: 'function', function: called }] };
  }
  if (message.role !== 'function') return message;
  const tool_call_id = open.get(asString(message.name) ?? '') ?? id;
  return { ...omit(message, resultBefore), role: 'tool', tool_call_id };
}
