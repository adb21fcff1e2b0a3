import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkInput, runCheck, testCheck } from 'portcullis/sdk/testing';
import addPrefix from '../../../guardrails/default/add-prefix.ts';
import allowedRequestTypes from '../../../guardrails/default/allowed-request-types.ts';
import modelRules from '../../../guardrails/default/model-rules.ts';
import modelWhitelist from '../../../guardrails/default/model-whitelist.ts';
import requestParametersCheck from '../../../guardrails/default/request-parameters-check.ts';
import requiredMetadataKeyPairs from '../../../guardrails/default/required-metadata-key-pairs.ts';
import requiredMetadataKeys from '../../../guardrails/default/required-metadata-keys.ts';

const model = (name: string) => ({ name: `the model "${name}"`, input: { model: name } });
const meta = (metadata: Record<string, string>) => ({ name: JSON.stringify(metadata), input: { metadata } });
const body = (given: object) => ({
  name: JSON.stringify(given),
  input: { body: given as Readonly<Record<string, string>> },
});

testCheck(modelWhitelist, {
  pass: [
    {
      ...model('gpt-4o'),
      config: { models: ['gpt-4o'] },
      data: {
        explanation: 'The model is in the list.',
        not: false,
        verdict: true,
        requestedModel: 'gpt-4o',
        allowedModels: ['gpt-4o'],
      },
    },
    { ...model('gpt-4o-mini'), config: { models: ['claude', 'gpt-4o*'] } },
    { ...model('a.b.c'), config: { models: ['a*b*c'] } },
    { ...model('o1'), config: { models: ['gpt-4o'], not: true } },
    { ...model('@team/gpt-4o'), config: { models: ['gpt-4o'] } },
    { ...model('@team/gpt-4o'), config: { models: ['@team/*'] } },
    { ...model('@cf/meta/llama'), config: { models: ['@cf/meta/*'] } },
  ],
  fail: [
    { ...model('gpt-4o-mini'), config: { models: ['gpt-4o'] } },
    { ...model(''), config: { models: ['gpt-4o'] } },
    { ...model('aba'), config: { models: ['ab*ba'] } },
    { ...model('acb'), config: { models: ['a*b*b'] } },
    { ...model('gpt-4o'), config: { models: ['*'], not: true } },
    { ...model('@team/gpt-4o'), config: { models: ['gpt-4*'], not: true } },
    { ...model('@team/gpt-4o'), config: { models: ['@other/*'] } },
  ],
  refused: [
    { config: {}, message: /models/ },
    { config: { models: [] }, message: /models/ },
    { config: { models: [''] }, message: /models\[0\]/ },
  ],
});

const rules = { defaults: ['gpt-4o-mini'], metadata: { team: { research: ['gpt-4o', 'o*'], legal: ['claude'] } } };

testCheck(modelRules, {
  pass: [
    { ...model('gpt-4o-mini'), config: { rules } },
    { name: 'a model of the team', input: { model: 'o3', metadata: { team: 'research' } }, config: { rules } },
    { name: 'a team without rules', input: { model: 'gpt-4o-mini', metadata: { team: 'x' } }, config: { rules } },
    {
      name: 'a model of one of two rules that are met',
      input: { model: 'b', metadata: { k: '1', l: '2' } },
      config: { rules: { metadata: { k: { 1: ['a'] }, l: { 2: ['b'] } } } },
    },
    { ...model('o1'), config: { rules, not: true } },
  ],
  fail: [
    {
      name: 'a default model where a rule of the team takes its place',
      input: { model: 'gpt-4o-mini', metadata: { team: 'research' } },
      config: { rules },
      data: {
        explanation: 'The model is not in the lists that belong to the metadata.',
        not: false,
        verdict: false,
        requestedModel: 'gpt-4o-mini',
        matchedRules: [{ key: 'team', value: 'research' }],
      },
    },
    { ...model('o1'), config: { rules }, why: 'The model is not in the default list.' },
    { ...model('a'), config: { rules: { metadata: { k: { v: ['a'] } } } } },
    {
      name: 'a key that every object inherits',
      input: { model: 'a' },
      config: { rules: { metadata: { constructor: { x: ['a'] } } } },
    },
  ],
  refused: [
    { config: {}, message: /rules/ },
    { config: { rules: {} }, message: /rules names no model/ },
    { config: { rules: { defaults: [], metadata: {} } }, message: /rules names no model/ },
    { config: { rules: { metadata: { team: { research: [] } } } }, message: /research/ },
    { config: { rules: { default: ['a'] } }, message: /default/ },
  ],
});

testCheck(requiredMetadataKeys, {
  pass: [
    { ...meta({ a: '1', b: '' }), config: { metadataKeys: ['a', 'b'] } },
    { ...meta({ a: '1' }), config: { metadataKeys: ['a', 'b'], operator: 'any' } },
    { ...meta({ c: '1' }), config: { metadataKeys: ['a', 'b'], operator: 'none' } },
  ],
  fail: [
    {
      ...meta({ a: '1' }),
      config: { metadataKeys: ['a', 'b'] },
      data: {
        explanation: 'The metadata have 1 of 2 keys; expected all of them.',
        verdict: false,
        operator: 'all',
        found_metadata_keys: ['a'],
        missing_metadata_keys: ['b'],
      },
    },
    { ...meta({}), config: { metadataKeys: ['toString'], operator: 'any' } },
    { ...meta({ a: '1' }), config: { metadataKeys: ['a'], operator: 'none' } },
  ],
  refused: [
    { config: {}, message: /metadataKeys/ },
    { config: { metadataKeys: [] }, message: /metadataKeys/ },
    { config: { metadataKeys: ['a'], operator: 'most' }, message: /operator/ },
  ],
});

testCheck(requiredMetadataKeyPairs, {
  pass: [
    { ...meta({ env: 'prod', team: 'a' }), config: { metadataPairs: { env: 'prod', team: ['a', 'b'] } } },
    { ...meta({ tier: '2', beta: 'true' }), config: { metadataPairs: { tier: 2, beta: true } } },
    { ...meta({ env: 'prod' }), config: { metadataPairs: { env: 'prod', team: 'a' }, operator: 'any' } },
    { ...meta({ env: 'prod' }), config: { metadataPairs: { env: 'dev' }, operator: 'none' } },
    { ...meta({ groups: 'a,b,c' }), config: { metadataPairs: { groups: ['x', 'b'] }, matchType: 'contains' } },
    { ...meta({ groups: 'a,b,c' }), config: { metadataPairs: { groups: ['a', 'b'] }, matchType: 'containsAll' } },
    {
      ...meta({ mail: 'ann@example.org' }),
      config: { metadataPairs: { mail: '@example\\.org$' }, matchType: 'regex' },
    },
  ],
  fail: [
    {
      ...meta({ env: 'production' }),
      config: { metadataPairs: { env: 'prod' } },
      data: {
        explanation: '0 of 1 pairs are in the metadata; expected all of them.',
        verdict: false,
        operator: 'all',
        matchType: 'exact',
        matchedKeys: [],
        unmatchedKeys: ['env'],
      },
    },
    { ...meta({ groups: 'a,c' }), config: { metadataPairs: { groups: ['a', 'b'] }, matchType: 'containsAll' } },
    { ...meta({ env: 'prod' }), config: { metadataPairs: { env: 'prod' }, operator: 'none' } },
    { ...meta({}), config: { metadataPairs: { env: 'prod' }, operator: 'any' } },
    { ...meta({ mail: 'x' }), config: { metadataPairs: { mail: '^$' }, matchType: 'regex' } },
  ],
  refused: [
    { config: {}, message: /metadataPairs/ },
    { config: { metadataPairs: {} }, message: /metadataPairs/ },
    { config: { metadataPairs: { a: '' } }, message: /metadataPairs/ },
    { config: { metadataPairs: { a: {} } }, message: /metadataPairs/ },
    { config: { metadataPairs: { a: '(?=b)' }, matchType: 'regex' }, message: /metadataPairs\.a .*look-around/ },
    { config: { metadataPairs: { a: 'b' }, matchType: 'fuzzy' }, message: /matchType/ },
  ],
});

testCheck(allowedRequestTypes, {
  pass: [
    { name: 'an allowed type', config: { allowedTypes: ['chatComplete', 'embed'] } },
    { name: 'a type in a list between commas', config: { allowedTypes: 'embed, chatComplete' } },
    { name: 'a type that is not blocked', config: { blockedTypes: 'embed' } },
    { name: 'everything when nothing is said', config: {} },
    { name: 'a whole reply where streams are blocked', config: { blockedTypes: ['stream-chatComplete'] } },
    { name: 'an allowed stream', input: { stream: true }, config: { allowedTypes: ['stream-chatComplete'] } },
    { name: 'a stream of an allowed type', input: { stream: true }, config: { allowedTypes: ['chatComplete'] } },
    { ...meta({ supported_endpoints: 'chatComplete' }), config: {} },
    { ...meta({ supported_endpoints: '["embed","chatComplete"]' }), config: {} },
    { ...meta({ supported_endpoints: 'embed' }), config: { allowedTypes: ['chatComplete'] } },
    { ...meta({ blocked_endpoints: 'chatComplete' }), config: { blockedTypes: ['embed'] } },
  ],
  fail: [
    {
      name: 'a type that is not allowed',
      config: { allowedTypes: ['embed'] },
      data: {
        explanation: 'The request type chatComplete is not among those that are allowed.',
        verdict: false,
        currentRequestType: 'chatComplete',
        allowedTypes: ['embed'],
        blockedTypes: [],
      },
    },
    { name: 'a blocked stream', input: { stream: true }, config: { blockedTypes: ['stream-chatComplete'] } },
    { name: 'a whole reply where streams are allowed', config: { allowedTypes: ['stream-chatComplete'] } },
    { name: 'a blocked type', input: { endpoint: 'proxy' }, config: { blockedTypes: 'embed,proxy' } },
    { ...meta({ supported_endpoints: 'embed,messages' }), config: {} },
    { ...meta({ blocked_endpoints: '["chatComplete"]' }), config: { allowedTypes: ['embed'] }, why: /is blocked/ },
  ],
  error: [
    {
      ...meta({ blocked_endpoints: 'chatComplete' }),
      config: { allowedTypes: ['chatComplete'] },
      code: 'check_failed',
    },
    {
      ...meta({ supported_endpoints: 'embed', blocked_endpoints: 'embed' }),
      config: {},
      code: 'check_failed',
      message: /embed is both allowed and blocked/,
    },
  ],
  refused: [
    { config: { allowedTypes: ['chat'] }, message: /allowedTypes holds "chat"\. Known: chatComplete/ },
    { config: { blockedTypes: 'embed,embeddings' }, message: /blockedTypes holds "embeddings"/ },
    { config: { allowedTypes: ['embed'], blockedTypes: 'embed' }, message: /blockedTypes holds "embed"/ },
    { config: { allowedTypes: 1 }, message: /allowedTypes/ },
  ],
});

const tool = (name: string) => ({ type: 'function', function: { name } });

testCheck(requestParametersCheck, {
  pass: [
    { ...body({ tools: [tool('search')] }), config: { tools: { allowedTypes: ['function'] } } },
    { ...body({ tools: [tool('search')] }), config: { tools: { blockedFunctionNames: ['shell'] } } },
    {
      ...body({ tools: [{ name: 'search', input_schema: {} }] }),
      config: { tools: { allowedFunctionNames: ['search'] } },
    },
    { ...body({ tools: [{ type: 'web_search' }] }), config: { tools: { allowedFunctionNames: ['web_search'] } } },
    { ...body({ model: 'm', messages: [] }), config: { params: { allowedKeys: ['model', 'messages'] } } },
    { ...body({ temperature: 0 }), config: { params: { values: { temperature: { allowedValues: [0, 1] } } } } },
    { ...body({}), config: { params: { values: { temperature: { allowedValues: [0, 1] } } } } },
    { ...body({ n: { user: 1 } }), config: { params: { blockedKeys: ['user'] } } },
  ],
  fail: [
    {
      ...body({ tools: [tool('a'), { type: 'web_search' }] }),
      config: { tools: { blockedTypes: ['web_search'] } },
      data: {
        explanation: 'The request uses something that is not allowed: tools[1].type (type_blocked).',
        verdict: false,
        violations: [{ param: 'tools[1].type', reason: 'type_blocked' }],
      },
    },
    {
      ...body({ tools: [tool('shell')] }),
      config: { tools: { allowedFunctionNames: ['search'] } },
      why: /name_not_allowed/,
    },
    {
      ...body({ tools: [{ name: 'shell' }] }),
      config: { tools: { blockedFunctionNames: ['shell'] } },
      why: /name_blocked/,
    },
    {
      ...body({ tools: [{ type: 'mcp' }] }),
      config: { tools: { allowedTypes: ['function'] } },
      why: /type_not_allowed/,
    },
    {
      ...body({ user: 'a', logprobs: true }),
      config: { params: { blockedKeys: ['user', 'logprobs'] } },
      why: /key_blocked\), and 1 more/,
    },
    { ...body({ model: 'm', seed: 1 }), config: { params: { allowedKeys: ['model'] } }, why: /seed \(key_not_allowed/ },
    {
      ...body({ stream: true }),
      config: { params: { values: { stream: { blockedValues: [true] } } } },
      why: /value_blocked/,
    },
    {
      ...body({ contents: [], tools: [tool('shell')] }),
      config: { tools: { blockedFunctionNames: ['shell'] } },
      why: /tools\[0\] \(name_blocked/,
    },
    {
      ...body({ functions: [{ name: 'shell' }] }),
      config: { tools: { blockedFunctionNames: ['shell'] } },
      why: /functions\[0\] \(name_blocked/,
    },
    {
      ...body({ tools: [{ type: 'custom', custom: { name: 'shell' } }] }),
      config: { tools: { blockedFunctionNames: ['shell'] } },
      why: /tools\[0\] \(name_blocked/,
    },
    {
      ...body({ tools: [{ type: 'namespace', name: 'admin', tools: [{ type: 'function', name: 'shell' }] }] }),
      config: { tools: { blockedFunctionNames: ['shell'] } },
      why: /tools\[0\]\.tools\[0\] \(name_blocked/,
    },
    {
      ...body({ input: [{ type: 'tool_search_output', tools: [{ type: 'function', name: 'shell' }] }] }),
      config: { tools: { blockedFunctionNames: ['shell'] } },
      why: /input\[0\]\.tools\[0\] \(name_blocked/,
    },
    { ...body({ n: '1' }), config: { params: { values: { n: { allowedValues: [1] } } } }, why: /value_not_allowed/ },
    { ...body({ stop: [] }), config: { params: { values: { stop: { allowedValues: ['x'] } } } } },
    { ...body({ constructor: 1 }), config: { params: { blockedKeys: ['constructor'] } } },
  ],
  error: [
    {
      name: 'a session, whose events pass unread',
      input: { endpoint: 'realtime' },
      config: { params: { blockedKeys: ['user'] } },
      code: 'check_failed',
      message: /pass unread/,
    },
  ],
  refused: [
    { config: {}, message: /at least one of tools or params/ },
    { config: { tools: { allowedTypes: [] } }, message: /at least one of tools or params/ },
    { config: { tools: { allowedTypes: ['a'], blockedTypes: ['a'] } }, message: /tools\.blockedTypes holds "a"/ },
    {
      config: { params: { values: { n: { allowedValues: [1], blockedValues: [1] } } } },
      message: /params\.values\.n\.blockedValues holds 1/,
    },
    { config: { params: { values: { n: { allowedValues: [{}] } } } }, message: /allowedValues/ },
    { config: { tools: { allowed: ['a'] } }, message: /allowed/ },
  ],
});

testCheck(addPrefix, {
  pass: [{ text: 'Hello.', config: { prefix: 'Note: ' } }],
  refused: [
    { config: {}, message: /prefix/ },
    { config: { prefix: '' }, message: /prefix/ },
    { config: { prefix: 'a', applyToRole: 'tool' }, message: /applyToRole/ },
  ],
});

const turns = [
  { role: 'system', text: ' ' },
  { role: 'user', text: 'Hello.' },
] as const;
const edits = [
  ['into the first message of the user', {}, [{ message: 'user', at: 'start', add: 'P', apart: false }]],
  ['as a message of its own', { addToExisting: false }, [{ message: 'user', at: 'start', add: 'P', apart: true }]],
  [
    'into an empty message',
    { applyToRole: 'system', onlyIfEmpty: true },
    [{ message: 'system', at: 'start', add: 'P', apart: false }],
  ],
  [
    'as a message that was missing',
    { applyToRole: 'assistant', onlyIfEmpty: true },
    [{ message: 'assistant', at: 'start', add: 'P', apart: false }],
  ],
  ['not where there is a text, when told so', { onlyIfEmpty: true }, undefined],
] as const;

for (const [name, given, expected] of edits) {
  it(`puts the prefix ${name}`, async () => {
    const verdict = await runCheck(addPrefix, { prefix: 'P', ...given }, checkInput({ turns }));
    assert.equal(verdict.pass, true);
    assert.deepEqual(verdict.edits, expected);
  });
}
