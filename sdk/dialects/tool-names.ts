import type { Call, Completion, Message, Part, Tool, ToolChoice } from './neutral.ts';
import { shortName } from './short-name.ts';

/** The names of tools as their client knows them, by those under which a provider gets them. */
export type ToolNames = ReadonlyMap<string, string>;

/** So many characters of a name are kept, for the model to read; `_` and a digest tell it from others. */
const keptChars = 51;
const digestChars = 12;

/**
 * The call with names of tools that its provider takes: makers differ in how long and of what they may be.
 * @param fitting what names the provider takes, undefined for any; at least those of up to 64 letters, digits, `_` and `-` that begin with a
 *   letter or `_`
 * @returns without `names` where all fit: then the call is the very same
 */
export function fitToolNames(
  call: Call,
  fitting: RegExp | undefined,
): { readonly call: Call; readonly names?: ToolNames } {
  if (fitting === undefined) return { call };
  const names = new Map(namesIn(call).flatMap((name) => (fitting.test(name) ? [] : [[fittedName(name), name]])));
  if (names.size === 0) return { call };
  const fitted = (name: string) => (fitting.test(name) ? name : fittedName(name));
  const { tools, toolChoice } = call;
  return {
    names,
    call: {
      ...call,
      messages: call.messages.map((message) => ({ ...message, parts: withNames(message.parts, fitted) })),
      ...(tools === undefined ? {} : { tools: tools.map((tool) => toolWith(tool, fitted)) }),
      ...(toolChoice === undefined ? {} : { toolChoice: choiceWith(toolChoice, fitted) }),
    },
  };
}

/** What the client calls a tool; models call some that nobody has named. */
export function clientName(name: string, names: ToolNames): string {
  return names.get(name) ?? name;
}

/** A reply with the names that its client knows. */
export function withClientNames(completion: Completion, names: ToolNames): Completion {
  const known = (name: string) => clientName(name, names);
  return {
    ...completion,
    choices: completion.choices.map((choice) => ({ ...choice, parts: withNames(choice.parts, known) })),
  };
}

function namesIn({ tools = [], toolChoice, messages }: Call): readonly string[] {
  return [
    ...tools.flatMap((tool) => (tool.type === 'native' ? [] : [tool.name])),
    ...(toolChoice?.mode === 'tool' ? [toolChoice.name] : []),
    ...(toolChoice?.mode === 'allowed' ? toolChoice.names : []),
    ...messages.flatMap(namesOfParts),
  ];
}

function namesOfParts({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (hasName(part) && part.name !== undefined ? [part.name] : []));
}

function hasName(part: Part): part is Extract<Part, { type: 'tool-call' | 'tool-result' }> {
  return part.type === 'tool-call' || part.type === 'tool-result';
}

function fittedName(name: string): string {
  const plain = name.replaceAll(/[^\w-]/g, '_').replace(/^(?=[\d-])/, '_');
  const kept = `${plain.slice(0, keptChars)}_`;
  return shortName(name, kept.length + digestChars, kept);
}

type Rename = (name: string) => string;

function withNames(parts: readonly Part[], rename: Rename): readonly Part[] {
  return parts.map((part) => (hasName(part) && part.name !== undefined ? { ...part, name: rename(part.name) } : part));
}

function toolWith(tool: Tool, rename: Rename): Tool {
  return tool.type === 'native' ? tool : { ...tool, name: rename(tool.name) };
}

function choiceWith(choice: ToolChoice, rename: Rename): ToolChoice {
  if (choice.mode === 'tool') return { ...choice, name: rename(choice.name) };
  return choice.mode === 'allowed' ? { ...choice, names: choice.names.map(rename) } : choice;
}
