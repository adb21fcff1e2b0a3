import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { type AnyCheck, GatewayError, type Manifest } from 'portcullis/sdk';
import {
  type CheckHostOptions,
  checkInput,
  createCheckHost,
  readyCheck,
  runCheck,
  testCheck,
} from 'portcullis/sdk/testing';
import { createCodeRunner } from '../../core/sandbox/code-runner.ts';
import { createSandbox } from '../../core/sandbox/sandbox.ts';
import custom from '../../guardrails/custom/index.ts';

const sandbox = createSandbox({ log: createCheckHost().log, now: () => Date.now() });
after(() => sandbox.close());

const manifest = JSON.parse(
  readFileSync(new URL('../../guardrails/custom/plugin.json', import.meta.url), 'utf8'),
) as Manifest;
const check = custom.checks.code as AnyCheck;
const timeout = 5000;

/** The unit's host, on which code runs in a real sandbox. */
function hostWith(options: CheckHostOptions = {}) {
  const inner = createCheckHost({ manifest, ...options });
  return createCheckHost({
    manifest,
    ...options,
    code: createCodeRunner(sandbox, { organisation: 'acme', host: inner }),
  });
}

const host = hostWith();

testCheck(check, {
  pass: [
    {
      name: 'what the code passes',
      text: 'short',
      config: { code: 'export default ({ text }) => ({ pass: text.length < 10 })', timeout },
      host,
    },
    {
      name: 'with the reasons and data of the code, in TypeScript',
      config: {
        code: "import type { CheckInput, Verdict } from 'portcullis/sdk';\nexport default ({ phase }: CheckInput): Verdict => ({ pass: true, why: 'It is fine.', data: { phase } });",
        timeout,
      },
      host,
      why: 'It is fine.',
      data: { phase: 'beforeRequest' },
    },
    {
      name: 'and edits',
      text: 'call 555-1234 now',
      config: {
        code: "import { editsBetween } from 'portcullis/sdk';\nexport default ({ text }) => ({ pass: true, edits: editsBetween(0, text, text.replace(/[0-9-]{8}/, '(number)')) })",
        timeout,
      },
      host,
      edited: ['call (number) now'],
    },
    {
      name: 'of a reply',
      phase: 'afterRequest',
      text: 'answer',
      config: { code: 'export default ({ turns }) => ({ pass: turns.at(-1).text === "answer" })', timeout },
      host,
    },
    {
      name: 'by the metadata, headers and body',
      input: { metadata: { tier: 'gold' }, headers: { 'x-a': 'b' }, body: { n: 1 } },
      config: {
        code: "export default ({ metadata, headers, body }) => ({ pass: metadata.tier === 'gold' && headers['x-a'] === 'b' && body.n === 1 })",
        timeout,
      },
      host,
    },
    {
      name: 'after a call to a place that it lists',
      config: {
        code: "export default async (input, { fetch }) => ({ pass: (await fetch('https://api.example.com/')).status === 204 })",
        net: ['api.example.com:443'],
        timeout,
      },
      host: hostWith({ fetch: () => ({ status: 204, headers: {}, body: new Uint8Array() }) }),
    },
  ],
  fail: [
    {
      name: 'what the code fails',
      text: 'a text that is long',
      config: { code: 'export default ({ text }) => ({ pass: text.length < 10 })', timeout },
      host,
    },
  ],
  error: [
    {
      name: 'code that throws',
      config: { code: "export default () => { throw new Error('no') }", timeout },
      host,
      code: 'check_failed',
      message: /custom\.code threw Error: no/,
    },
    {
      name: 'code that loops',
      config: { code: 'export default () => { for (;;); }', timeout: 50 },
      host,
      code: 'check_failed',
      message: /did not end in its time: 50 ms/,
    },
    {
      name: 'a call to a place that it does not list',
      config: {
        code: "export default async (input, { fetch }) => ({ pass: (await fetch('https://evil.example.com/')).status === 200 })",
        net: ['api.example.com:443'],
        timeout,
      },
      host,
      code: 'check_failed',
      message: /may not call evil\.example\.com:443/,
    },
  ],
  refused: [
    { name: 'no code', config: {}, message: /code/ },
    { name: 'empty code', config: { code: '' }, message: /code/ },
    { name: 'more code than 64 KiB', config: { code: 'x'.repeat(65_537) }, message: /code/ },
    { name: 'a time that is too short', config: { code: '1', timeout: 9 }, message: /timeout/ },
    { name: 'a time that is too long', config: { code: '1', timeout: 5001 }, message: /timeout/ },
    { name: 'more memory than there may be', config: { code: '1', memoryMb: 129 }, message: /memoryMb/ },
    { name: 'every place', config: { code: '1', net: ['*:*'] }, message: /net\[0\]/ },
    { name: 'a place without a port', config: { code: '1', net: ['example.com'] }, message: /net\[0\]/ },
    {
      name: 'too many places',
      config: { code: '1', net: Array.from({ length: 21 }, (_, index) => `a${index}.example.com:443`) },
      message: /net/,
    },
    { name: 'other parameters', config: { code: '1', secret: 'x' }, message: /secret/ },
  ],
});

describe('custom code', () => {
  it('is compiled before it is saved', async () => {
    const accepting = (code: string) => readyCheck(check, { code }).accept(host);
    await accepting('export default () => ({ pass: true })');
    await assert.rejects(
      accepting('export default ('),
      (error) =>
        GatewayError.is(error) &&
        error.code === 'invalid_config' &&
        error.param === 'code' &&
        /line 1, column 17/.test(error.message),
    );
    await assert.rejects(
      accepting("import fs from 'node:fs'; export default () => fs"),
      /"node:fs" cannot be imported/,
    );
  });

  it('has half a second where nothing else is said', async () => {
    await assert.rejects(
      async () => runCheck(check, { code: 'export default () => { for (;;); }' }, checkInput(), host),
      /500 ms/,
    );
  });
});
