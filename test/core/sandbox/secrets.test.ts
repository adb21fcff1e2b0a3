import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, GatewayError, type Verdict } from 'portcullis/sdk';
import type { CheckNetwork } from 'portcullis/sdk/testing';
import { createHandles } from '../../../core/sandbox/handles.ts';
import { programOf, runOf, testSandbox } from './sandboxed.ts';

const { sandbox } = testSandbox();
const secret = 'sk-live "ümlaut" 0123456789';
const credentials = {
  type: 'object',
  properties: { apiKey: { type: 'string', 'x-secret': true }, region: { type: 'string' } },
};
const held = { apiKey: secret, region: 'eu', unknown: 'other' };

/** A run that returns what the statements give, with credentials. */
async function attempt(statements: string, fetch?: CheckNetwork): Promise<Verdict> {
  const program = await programOf(`export default async (input, { fetch, credentials, log }) => { ${statements} }`);
  return runOf(sandbox, program, {
    credentials,
    host: { credentials: held, ...(fetch === undefined ? {} : { fetch }) },
  });
}

const echo: CheckNetwork = (_, { headers = {} }) => ({
  status: 200,
  headers: { 'x-echo': String(headers.authorization) },
  body: Buffer.from(
    `${headers.authorization} ${JSON.stringify(headers)} ${Buffer.from(secret).toString('base64')} ${encodeURIComponent(secret)}`,
  ),
});

describe('a secret', () => {
  it('is a handle for the guest, and another one in each run; what the schema does not name stays outside', async () => {
    const look = () => attempt('return { pass: true, data: credentials }');
    const [first, second] = [await look(), await look()];
    const { apiKey, ...shown } = first.data as { apiKey: string; region: string };
    assert.deepEqual(shown, { region: 'eu' });
    assert.match(apiKey, /^secret-handle-[0-9a-f]{32}$/);
    assert.notDeepEqual(first.data, second.data);
  });

  it('stands in a header of the call that is made', async () => {
    const seen: unknown[] = [];
    await attempt(
      "await fetch('https://api.example.com/', { headers: { authorization: 'Bearer ' + credentials.apiKey } }); return { pass: true }",
      (url, request, signal) => {
        seen.push(request.headers);
        return echo(url, request, signal);
      },
    );
    assert.deepEqual(seen, [{ authorization: `Bearer ${secret}` }]);
  });

  for (const [where, call] of [
    ['url', "fetch('https://api.example.com/?key=' + credentials.apiKey)"],
    ['body', "fetch('https://api.example.com/', { body: JSON.stringify(credentials) })"],
    ['the name of a header', "fetch('https://api.example.com/', { headers: { [credentials.apiKey]: 'a' } })"],
  ] as const) {
    it(`stands nowhere else: ${where}`, async () => {
      const called: string[] = [];
      const fetch: CheckNetwork = (url, request, signal) => {
        called.push(url.href);
        return echo(url, request, signal);
      };
      await assert.rejects(
        attempt(`return { pass: true, data: await ${call} }`, fetch),
        (error) => GatewayError.is(error) && error.message.includes(`and not in ${where}`),
      );
      assert.deepEqual(called, []);
    });
  }

  it('does not come back in a reply, however the server writes it', async () => {
    const { data } = await attempt(
      `const { headers, body } = await fetch('https://api.example.com/', { headers: { authorization: credentials.apiKey } });
       return { pass: true, data: [headers['x-echo'], new TextDecoder().decode(body)] }`,
      echo,
    );
    const text = JSON.stringify(data);
    assert.ok(
      !text.includes('0123456789') && !text.includes(Buffer.from(secret).toString('base64').slice(0, 20)),
      text,
    );
    assert.match(text, /\[secret\]/);
  });

  it('does not come back in an error', async () => {
    await assert.rejects(
      attempt("return { pass: true, data: await fetch('https://api.example.com/') }", () => {
        throw new GatewayError('upstream_invalid', `The key ${secret} is not known.`);
      }),
      /custom\.code: The key \[secret\] is not known/,
    );
  });

  it('is not told from the cause of an error that is no error of the gateway', async () => {
    await assert.rejects(
      attempt("return { pass: true, data: await fetch('https://api.example.com/') }", () => {
        throw new Error(`connect 10.0.0.1 ${secret}`);
      }),
      /custom\.code: The call of fetch failed/,
    );
  });
});

describe('handles', () => {
  it('are none without a schema', () => {
    assert.deepEqual(createHandles({ apiKey: 'x' }, undefined).credentials, {});
  });

  it('leave out a secret that is no text', () => {
    assert.deepEqual(createHandles({ apiKey: 5, region: 'eu' }, credentials).credentials, { region: 'eu' });
  });

  it('stand for secrets that are in a member too', () => {
    const nested = { type: 'object', properties: { eu: credentials } };
    const {
      credentials: shown,
      inHeaders,
      scrub,
    } = createHandles({ eu: { apiKey: secret, region: 'eu', x: 1 } }, nested);
    const { apiKey, ...rest } = asObject(shown.eu) ?? {};
    assert.deepEqual(rest, { region: 'eu' });
    assert.match(String(apiKey), /^secret-handle-/);
    assert.deepEqual(inHeaders({ authorization: `Bearer ${apiKey}` }), { authorization: `Bearer ${secret}` });
    assert.equal(scrub(`it is ${secret}`), 'it is [secret]');
  });

  it('leave texts alone when a secret is as short as a word', () => {
    assert.equal(createHandles({ apiKey: 'abc' }, credentials).scrub('abc def'), 'abc def');
  });
});
