import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CheckInput, GatewayError, type JsonObject } from 'portcullis/sdk';
import { checkInput, runCheck } from 'portcullis/sdk/testing';
import definition from '../../../guardrails/default/index.ts';

/** One set of parameters for each check that calls nobody. */
const parameters: Readonly<Record<string, JsonObject>> = {
  addPrefix: { prefix: 'P', onlyIfEmpty: true },
  allowedRequestTypes: { allowedTypes: ['embed'] },
  alllowercase: {},
  alluppercase: {},
  characterCount: { maxCharacters: 10 },
  contains: { words: ['needle', 'b'] },
  containsCode: { format: 'Python' },
  endsWith: { suffix: 'end' },
  isAllLowerCase: {},
  jsonKeys: { keys: ['a'] },
  jsonSchema: { schema: { $ref: '#/$defs/n', $defs: { n: { properties: { a: { $ref: '#/$defs/n' } } } } } },
  modelRules: { rules: { defaults: ['a*b*c'] } },
  modelWhitelist: { models: ['*a*a*a*b'] },
  modelwhitelist: { models: ['*'] },
  notNull: {},
  regexMatch: { rule: '(a+)+b|\\s+$' },
  regexReplace: { rule: 'sk-\\w+|\\d{4}' },
  requestParametersCheck: { params: { blockedKeys: ['x'] }, tools: { allowedTypes: ['function'] } },
  requiredMetadataKeyPairs: { metadataPairs: { a: '(x+x+)+y' }, matchType: 'regex' },
  requiredMetadataKeys: { metadataKeys: ['a'] },
  sentenceCount: { maxSentences: 10 },
  wordCount: { maxWords: 10 },
};

const ten = 10_000_000;
const deep = '{"a":'.repeat(150_000);
const inputs: Readonly<Record<string, () => CheckInput>> = {
  'ten million letters': () => checkInput({ text: 'a'.repeat(ten), model: 'a'.repeat(100_000) }),
  'ten million spaces': () => checkInput({ text: `${' '.repeat(ten)}x` }),
  'ten million brackets': () => checkInput({ text: '{['.repeat(ten / 2) }),
  'a million brackets': () => checkInput({ text: '{["'.repeat(300_000) }),
  'millions of fences': () => checkInput({ text: '```a\n'.repeat(ten / 5) }),
  'fences that are never closed': () => checkInput({ text: '````\n```\n'.repeat(ten / 9) }),
  'one fence of ten million signs': () => checkInput({ text: '`'.repeat(ten) }),
  'lone surrogates': () => checkInput({ text: '\ud83d\ud83d\ude00\ude00'.repeat(1_000_000) }),
  'very deep JSON': () => checkInput({ text: `${deep}1${'}'.repeat(150_000)}` }),
  'very deep JSON in prose': () => checkInput({ text: `So: ${deep}1${'}'.repeat(150_000)}` }),
  'ten thousand texts': () =>
    checkInput({ texts: Array.from({ length: 10_000 }, (_, at) => ({ text: `sk-${at} ${'x'.repeat(50)}` })) }),
  'no text at all': () => checkInput({ texts: [] }),
  'a text without a character': () => checkInput({ text: '' }),
  'names that objects inherit': () =>
    checkInput({
      model: '__proto__',
      metadata: { ['__proto__']: 'x', constructor: 'x', a: 'x'.repeat(100_000) },
      body: JSON.parse('{"__proto__":1,"tools":[null,1,{"function":null},{"type":{}}],"constructor":{}}') as JsonObject,
    }),
};

describe('checks that call nobody', () => {
  it('are all tried here', () => {
    const calling = ['inlineImages', 'jwt', 'log', 'validUrls', 'webhook'];
    assert.deepEqual(Object.keys(definition.checks).sort(), [...Object.keys(parameters), ...calling].sort());
  });

  for (const [name, make] of Object.entries(inputs)) {
    describe(`on ${name}`, () => {
      const input = make();
      for (const [id, given] of Object.entries(parameters)) {
        it(`${id} gives a verdict, or says why it cannot`, async () => {
          const check = definition.checks[id];
          assert.ok(check !== undefined);
          const outcome = await runCheck(check, given, input).catch((error: unknown) => error);
          if (GatewayError.is(outcome)) assert.equal(outcome.code, 'check_failed', outcome.message);
          else if (outcome instanceof Error) throw outcome;
        });
      }
    });
  }

  it('are registered under both spellings of their ids', () => {
    const { checks } = definition;
    assert.equal(checks.modelwhitelist, checks.modelWhitelist);
    assert.equal(checks.isAllLowerCase, checks.alllowercase);
  });
});
