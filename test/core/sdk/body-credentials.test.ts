import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addedCredentials, hideCredentials, hideInText, type JsonObject, repeatedForms } from 'portcullis/sdk';

const mask = '*****';

describe('the credentials of a body', () => {
  const hidden: readonly (readonly [string, JsonObject, JsonObject])[] = [
    [
      'of an MCP tool',
      { tools: [{ type: 'mcp', server_label: 'l', authorization: 's3', headers: { 'x-a': 's4' } }] },
      { tools: [{ type: 'mcp', server_label: 'l', authorization: mask, headers: { 'x-a': mask } }] },
    ],
    [
      'of an MCP server',
      { mcp_servers: [{ url: 'https://u:p@a.example/mcp?key=s3', authorization_token: 's4' }] },
      { mcp_servers: [{ url: `https://${mask}@a.example/mcp?${mask}`, authorization_token: mask }] },
    ],
    [
      'of a data source',
      { data_sources: [{ parameters: { authentication: { type: 'api_key', key: 's3' }, index_name: 'i' } }] },
      { data_sources: [{ parameters: { authentication: { type: mask, key: mask }, index_name: 'i' } }] },
    ],
    [
      'of a connector and a retrieval tool',
      { connectors: [{ id: 'c', user_access_token: 's3' }], tools: [{ x: { apiAuth: { apiKeyString: 's4' } } }] },
      { connectors: [{ id: 'c', user_access_token: mask }], tools: [{ x: { apiAuth: { apiKeyString: mask } } }] },
    ],
    [
      'of settings of the gateway',
      { gw_options: { 'x-gw-config': '{"api_key":"s3","retry":{}}', 'X-API-Key': 's4' }, metadata: { apiKey: 's5' } },
      {
        gw_options: { 'x-gw-config': `{"api_key":"${mask}","retry":{}}`, 'X-API-Key': mask },
        metadata: { apiKey: mask },
      },
    ],
  ];
  for (const [what, body, shown] of hidden)
    it(`are hidden: those ${what}`, () => assert.deepEqual(hideCredentials(body).body, shown));

  const open: readonly (readonly [string, JsonObject])[] = [
    ['what is said', { messages: [{ role: 'user', content: [{ type: 'tool_use', input: { password: 'p' } }] }] }],
    ['a schema', { tools: [{ parameters: { type: 'object', properties: { password: { type: 'string' } } } }] }],
    ['counts and names', { max_tokens: 7, prompt_cache_key: 'k', session_id: 's', next_page_token: 'n' }],
    ['an address without a query', { server_url: 'https://a.example/mcp' }],
    ['tokens of an answer', { choices: [{ logprobs: { content: [{ token: 'a' }] } }] }],
  ];
  for (const [what, body] of open)
    it(`are not ${what}: the very object is given`, () => assert.equal(hideCredentials(body).body, body));

  it('are told, so that they can be hidden elsewhere', () =>
    assert.deepEqual(hideCredentials({ tools: [{ authorization: 's3', headers: { a: 's4' } }] }).hidden, ['s3', 's4']));

  it('are told of one body beside another: those that it has got', () => {
    const before = { a: { api_key: 's3' }, b: { api_key: 's4' } };
    assert.deepEqual(addedCredentials({ ...before, b: { api_key: 's5' }, c: { password: 's6' } }, before), [
      's5',
      's6',
    ]);
    assert.deepEqual(addedCredentials(before, before), []);
  });

  it('are repeated without their scheme and within JSON too, and what is short may be any word', () =>
    assert.deepEqual(repeatedForms(['api_key', 'Bearer "quoted"-1', 'long-enough']), [
      'Bearer \\"quoted\\"-1',
      'Bearer "quoted"-1',
      '\\"quoted\\"-1',
      'long-enough',
      '"quoted"-1',
    ]));

  const texts: readonly (readonly [string, string])[] = [
    ['{"model":"x","api_key" : "s3\\"4","n":1', `{"model":"x","api_key" : "${mask}","n":1`],
    ['{"tools":[{"authorization":"Bearer s', `{"tools":[{"authorization":"${mask}`],
    ['{"a":"the \\"api_key\\" is","b":"c",}', '{"a":"the \\"api_key\\" is","b":"c",}'],
  ];
  for (const [text, shown] of texts)
    it(`are hidden in a text that is no JSON: ${text}`, () => assert.equal(hideInText(text), shown));

  it('do not end the process, however deep a body is', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}"x"${'}'.repeat(5000)}`);
    assert.match(JSON.stringify(hideCredentials(deep).body), /\*\*\*\*\*/);
  });
});
