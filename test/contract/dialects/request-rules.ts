import assert from 'node:assert/strict';
import { validateRequest } from '../../../core/http/validate.ts';
import type { GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import type { Call } from '../../../sdk/dialects/neutral.ts';
import { asObject, asObjects, type Json, type JsonObject } from '../../../sdk/json.ts';

/** What the public documents of a format say about any request. */
export function checkRequest(target: GenerationDialectName, body: JsonObject, strict: boolean): void {
  const text = JSON.stringify(body);
  assert.deepEqual(JSON.parse(text), body, 'plain JSON without undefined or NaN');
  assert.doesNotMatch(text, /"(id|call_id|tool_call_id|tool_use_id)":""/, 'no empty ids');
  if (target === 'gemini') checkGemini(body);
  else if (target === 'converse') checkConverse(body);
  else validateRequest(target === 'cohere' ? 'v2_chat' : target, body, { strict });
}

const partFields = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];
const topFields = [
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings', 'cachedContent'],
  ...['labels', 'serviceTier', 'store'],
];

function checkGemini(body: JsonObject): void {
  for (const field in body) assert.ok(topFields.includes(field), `no top-level field ${field}`);
  const contents = asObjects(body.contents);
  assert.ok(contents.length > 0);
  let before: Json | undefined;
  for (const content of contents) {
    assert.ok((content.role === 'user' || content.role === 'model') && content.role !== before, 'roles alternate');
    before = content.role;
    const parts = asObjects(content.parts);
    assert.ok(parts.length > 0, 'a content has parts');
    for (const part of parts) assert.equal(partFields.filter((field) => field in part).length, 1, JSON.stringify(part));
  }
  for (const [index, content] of contents.entries()) {
    const calls = asObjects(content.parts).filter((part) => part.functionCall !== undefined);
    if (calls.length === 0) continue;
    const answers = asObjects(contents[index + 1]?.parts).filter((part) => part.functionResponse !== undefined);
    assert.equal(answers.length, calls.length, 'as many responses as calls');
    for (const answer of answers) assert.ok(asObject(asObject(answer.functionResponse)?.response) !== undefined);
  }
}

const converseFields = [
  ...['messages', 'system', 'inferenceConfig', 'toolConfig', 'guardrailConfig', 'additionalModelRequestFields'],
  ...['promptVariables', 'additionalModelResponseFieldPaths', 'requestMetadata', 'performanceConfig', 'serviceTier'],
  'outputConfig',
];

function checkConverse(body: JsonObject): void {
  for (const field in body) assert.ok(converseFields.includes(field), `no top-level field ${field}`);
  const turns = asObjects(body.messages);
  assert.ok(turns.length > 0);
  let before: Json | undefined;
  for (const [at, { role, content }] of turns.entries()) {
    assert.ok((role === 'user' || role === 'assistant') && role !== before, 'roles alternate');
    before = role;
    const blocks = asObjects(content);
    assert.ok(blocks.length > 0, 'a turn has content');
    for (const block of blocks) {
      assert.equal(Object.keys(block).length, 1, 'a block is one member of its union');
      if (typeof block.text === 'string') assert.ok(block.text.trim() !== '', 'no blank text');
    }
    const uses = blocks.filter(({ toolUse }) => toolUse !== undefined);
    const results = asObjects(turns[at + 1]?.content).filter(({ toolResult }) => toolResult !== undefined);
    if (uses.length > 0) assert.equal(results.length, uses.length, 'as many results as calls');
    if (uses.length > 0) assert.ok(body.toolConfig !== undefined, 'calls need tools');
  }
  const config = asObject(body.toolConfig);
  if (config !== undefined) assert.ok(asObjects(config.tools).length > 0, 'no empty list of tools');
}

/** Which tools a model may call, and whether it must: what a choice means. */
export function meaning(call: Call): Json {
  const names = (call.tools ?? []).map((tool) => (tool.type === 'native' ? '' : tool.name));
  const choice = call.toolChoice;
  const parallel = call.parallelToolCalls !== false;
  switch (choice?.mode) {
    case undefined:
    case 'auto':
      return { must: false, names, parallel };
    case 'none':
      return { must: false, names: [], parallel: true };
    case 'required':
      return { must: true, names, parallel };
    case 'tool':
      return { must: true, names: [choice.name], parallel };
    case 'allowed':
      return { must: choice.require, names: [...choice.names], parallel };
    case 'native':
      return { native: choice.value };
  }
}
