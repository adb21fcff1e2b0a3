import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { validateRequest } from '../../../core/http/validate.ts';
import { GatewayError } from '../../../sdk/errors.ts';
import type { JsonObject } from '../../../sdk/json.ts';
import { type RequestKind, requestSchemas } from '../../../sdk/requests/index.ts';
import { refusal } from './field-table.ts';

const kinds = Object.keys(requestSchemas) as RequestKind[];
const user = { role: 'user', content: 'a' };

function outcome(kind: RequestKind, body: JsonObject): string {
  try {
    validateRequest(kind, body, { strict: true });
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof GatewayError, `${String(error)} for ${JSON.stringify(body)}`);
    assert.equal(error.status, 400);
    assert.ok(error.message.length < 400 && !error.message.includes('undefined'), error.message);
    return `${error.param}: ${error.message}`;
  }
}

describe('refusals', () => {
  it('says the bound and the number that came', () => {
    const error = refusal('messages', { messages: [user], max_tokens: 1, temperature: 3 });
    assert.equal(error.message, 'temperature must be a number from 0 to 1; got 3.');
    assert.deepEqual([error.status, error.type, error.param], [400, 'invalid_request_error', 'temperature']);
  });

  it('never repeats long or free text of the caller', () => {
    const secret = 'please-do-not-repeat-this-text-anywhere-at-all';
    const bodies: JsonObject[] = [
      { messages: [{ role: secret, content: 'a' }] },
      { messages: secret },
      { messages: [user], temperature: secret },
      { messages: [user], tools: [{ type: 'function', function: { name: `${secret} ${secret}` } }] },
      { messages: [{ role: 'user', content: [secret] }] },
      { messages: [user], tool_choice: secret },
      { messages: [user], logit_bias: { [secret.repeat(9)]: secret } },
    ];
    for (const body of bodies) assert.ok(!refusal('chat', body).message.includes(secret));
  });

  it('names a body that is not an object', () => {
    const error = refusal('chat', [] as unknown as JsonObject);
    assert.equal(error.param, undefined);
    assert.equal(error.message, 'The body must be an object; got an empty array.');
  });

  it('tells an index from a key, and quotes a key that is no plain name', () => {
    const bias = (key: string) => refusal('chat', { messages: [user], logit_bias: { [key]: 'x' } }).param;
    assert.equal(bias('0'), 'logit_bias.0');
    assert.equal(bias('a/b~c'), 'logit_bias["a/b~c"]');
    assert.equal(refusal('chat', { messages: [user, 1] }).param, 'messages[1]');
  });

  it('stays short when a body has thousands of faults', () => {
    const error = refusal('chat', { messages: new Array(100_000).fill(0) });
    assert.equal(error.message, 'messages[0] must be an object; got 0.');
  });

  it('refuses a number too large for JSON to hold', () => {
    const error = refusal('chat', JSON.parse(`{"messages":[{"role":"user","content":"a"}],"seed":1e999}`));
    assert.equal(error.message, 'seed must be an integer or null; got Infinity.');
  });

  it('answers any JSON object with acceptance or a GatewayError, and always with the same one', () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const random = fc.dictionary(fc.string(), anything);
    const nearly = fc.constantFrom(...kinds).chain((kind) => {
      const names = Object.keys((requestSchemas[kind] as unknown as { properties: object }).properties);
      const item = fc.dictionary(
        fc.constantFrom('type', 'role', 'content', 'text', 'id', 'function', 'name'),
        anything,
      );
      const value = fc.oneof(anything, item, fc.array(item), fc.constantFrom(null, 0, 'user', [user]));
      return fc.tuple(fc.constant(kind), fc.dictionary(fc.constantFrom(...names), value));
    });
    const cases = fc.oneof(fc.tuple(fc.constantFrom(...kinds), random), nearly);
    fc.assert(
      fc.property(cases, ([kind, fields]) => {
        const body = JSON.parse(JSON.stringify(fields)) as JsonObject;
        const before = JSON.stringify(body);
        assert.equal(outcome(kind, body), outcome(kind, body));
        assert.equal(JSON.stringify(body), before);
      }),
      { numRuns: 2000 },
    );
  });
});
