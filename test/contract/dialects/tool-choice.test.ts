import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GenerationDialect } from '../../../sdk/dialects/dialect.ts';
import type { Json, JsonObject } from '../../../sdk/json.ts';
import { contextOf, conversational, frozen } from './codec.ts';
import { checkRequest, meaning } from './request-rules.ts';
import type { richCalls } from './rich-calls.ts';

type Name = keyof typeof richCalls;
const named = conversational as readonly (GenerationDialect & { readonly name: Name })[];

const choices: Readonly<Record<Name, readonly Json[]>> = {
  chat: [
    'auto',
    'none',
    'required',
    { type: 'function', function: { name: 'f' } },
    { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] } },
  ],
  messages: [
    { type: 'auto' },
    { type: 'none' },
    { type: 'any' },
    { type: 'tool', name: 'f' },
    { type: 'auto', disable_parallel_tool_use: true },
  ],
  responses: [
    'auto',
    'none',
    'required',
    { type: 'function', name: 'f' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  ],
  gemini: [
    { mode: 'AUTO' },
    { mode: 'NONE' },
    { mode: 'ANY' },
    { mode: 'ANY', allowedFunctionNames: ['f'] },
    { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
  ],
};

const withChoice: Readonly<Record<Name, (choice: Json) => JsonObject>> = {
  chat: (choice) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [
      { type: 'function', function: { name: 'f' } },
      { type: 'function', function: { name: 'g' } },
    ],
    tool_choice: choice,
  }),
  messages: (choice) => ({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [
      { name: 'f', input_schema: { type: 'object' } },
      { name: 'g', input_schema: { type: 'object' } },
    ],
    tool_choice: choice,
  }),
  responses: (choice) => ({
    model: 'm',
    input: 'Hi',
    tools: [
      { type: 'function', name: 'f' },
      { type: 'function', name: 'g' },
    ],
    tool_choice: choice,
  }),
  gemini: (choice) => ({
    model: 'm',
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
    toolConfig: { functionCallingConfig: choice },
  }),
};

describe('calls: each form of tool choice means the same at every target', () => {
  for (const client of named) {
    for (const target of named) {
      it(`${client.name} -> ${target.name}`, () => {
        for (const choice of choices[client.name]) {
          const body = frozen(withChoice[client.name](choice));
          const call = client.decodeCall(body, contextOf(true));
          const context = contextOf(true);
          const sent = target.encodeCall(frozen(call), context);
          checkRequest(target.name, sent, true);
          const again = target.decodeCall({ model: 'm', ...sent }, contextOf(true));
          const unsaid = context.lost.includes('parallel_tool_calls') ? { ...again, parallelToolCalls: false } : again;
          assert.deepEqual(meaning(unsaid), meaning(call), JSON.stringify(choice));
        }
      });
    }
  }
});
