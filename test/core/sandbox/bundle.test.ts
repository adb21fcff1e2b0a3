import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { bundleCode, bundleUnit } from '../../../core/sandbox/bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'unit-'));
after(() => rmSync(folder, { recursive: true }));

const refusal = (message: RegExp, param?: string) => (error: unknown) =>
  GatewayError.is(error) && error.code === 'invalid_config' && message.test(error.message) && error.param === param;

/** A unit of these files, in a folder of its own. */
function unitOf(files: Readonly<Record<string, string>>): string {
  const unit = mkdtempSync(join(folder, 'one-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(unit, name), text);
  return unit;
}

describe('a bundle of code', () => {
  it('of a unit has no hashbang', async () => {
    const script = await bundleUnit(unitOf({ 'index.ts': '#!/usr/bin/env node\nexport default 1' }));
    assert.match(script, /^var unit = /);
  });

  it('has no types, and is one script', async () => {
    const script = await bundleCode(
      "import type { CheckInput, Verdict } from 'portcullis/sdk';\nexport default ({ text }: CheckInput): Verdict => ({ pass: text !== '' } satisfies Verdict);",
      'code',
    );
    assert.doesNotMatch(script, /CheckInput|satisfies|import /);
    assert.match(script, /^var unit = /);
    assert.doesNotThrow(() => new Function(script));
  });

  it('can be had again where the bundler was lost', async () => {
    const compile = () => bundleCode('export default () => ({ pass: true })', 'code');
    await compile();
    const processes = execFileSync('ps', ['-A', '-o', 'ppid=,pid=,comm='], { encoding: 'utf8' });
    const [, bundler] = new RegExp(`^ *${process.pid} +([0-9]+) .*esbuild`, 'm').exec(processes) ?? [];
    process.kill(Number(bundler), 'SIGKILL');
    await assert.rejects(compile(), { code: 'not_ready', headers: { 'retry-after': '1' } });
    assert.match(await compile(), /^var unit = /);
  });

  it('holds of the sdk what it uses', async () => {
    const small = await bundleCode(
      "import { asString } from 'portcullis/sdk'; export default (input) => ({ pass: asString(input.text) !== '' })",
      'code',
    );
    assert.ok(small.length < 2000, `${small.length}`);
  });

  for (const [name, source, message] of [
    [
      'a syntax error',
      'export default (input) => {\n  return pass: true }',
      /^checks\[0\]\.code, line 2, column 14: Expected ";"/,
    ],
    [
      'a module of Node',
      "import { readFileSync } from 'node:fs';\nexport default () => readFileSync",
      /line 1, column 30: "node:fs" cannot be imported/,
    ],
    ['a package', "import ms from 'ms';\nexport default () => ms", /"ms" cannot be imported/],
    [
      'the testing kit',
      "import { conform } from 'portcullis/sdk/testing';\nexport default conform",
      /"portcullis\/sdk\/testing" cannot be imported/,
    ],
    ['a file', "import x from './x.ts';\nexport default x", /"\.\/x\.ts" cannot be imported: custom code is one file/],
    ['a file by its path', "import x from '/etc/passwd';\nexport default x", /"\/etc\/passwd" cannot be imported/],
    ['a URL', "import x from 'https://example.com/x.js';\nexport default x", /cannot be imported/],
    ['data', "import x from 'data:text/javascript,export default 1';\nexport default x", /cannot be imported/],
    ['a module that is required', "export default () => require('fs')", /"fs" cannot be imported/],
    ['a module that is imported later', "export default () => import('node:net')", /"node:net" cannot be imported/],
    [
      'what the sdk of the sandbox does not have',
      "import { dialects } from 'portcullis/sdk';\nexport default dialects",
      /^checks\[0\]\.code, line 1, column 10: portcullis\/sdk exports no "dialects"\.$/,
    ],
    ['an await at the top', 'await 1; export default 1', /line 1, column 1: await can stand within functions alone\.$/],
    ['more than 64 KiB', `export default ${' '.repeat(65_536)}1`, /longer than 64 KiB/],
  ] as const) {
    it(`is refused: ${name}`, async () => {
      await assert.rejects(bundleCode(source, 'checks[0].code'), refusal(message, 'checks[0].code'));
    });
  }
});

describe('a bundle of a unit', () => {
  it('holds the files of its folder', async () => {
    const unit = unitOf({
      'index.ts': "import words from './words.json';\nimport { one } from './one.ts';\nexport default [one, words];",
      'one.ts': 'export const one: number = 41;',
      'words.json': '["word"]',
    });
    assert.match(await bundleUnit(unit), /41[\s\S]*"word"|"word"[\s\S]*41/);
  });

  it('holds nothing from outside, by whatever way', async () => {
    const outside = join(folder, 'outside.ts');
    writeFileSync(outside, 'export default 1');
    const above = unitOf({ 'index.ts': "import x from '../outside.ts';\nexport default x" });
    await assert.rejects(bundleUnit(above), refusal(/index\.ts, line 1, column 15: "\.\.\/outside\.ts" is outside/));
    const linked = unitOf({ 'index.ts': "import x from './link.ts';\nexport default x" });
    symlinkSync(outside, join(linked, 'link.ts'));
    await assert.rejects(bundleUnit(linked), refusal(/"\.\/link\.ts" is outside/));
    const entry = unitOf({});
    symlinkSync(outside, join(entry, 'index.ts'));
    await assert.rejects(bundleUnit(entry), refusal(/index\.ts is outside of the unit's folder/));
    await assert.rejects(bundleUnit(unitOf({})), refusal(/index\.ts cannot be read \(ENOENT\)/));
  });

  it('names a file that is not there, and one that is no code', async () => {
    const unit = unitOf({
      'index.ts': "import x from './one';\nimport y from './a.txt';\nexport default [x, y]",
      'a.txt': 'x',
    });
    await assert.rejects(bundleUnit(unit), refusal(/"\.\/one" is no file[\s\S]*"\.\/a\.txt" is no \.ts/));
  });

  it('reads no settings of a compiler that lie about', async () => {
    const unit = unitOf({
      'index.ts': "import x from 'secret';\nexport default x",
      'tsconfig.json': '{"compilerOptions":{"paths":{"secret":["/etc/passwd"]}}}',
    });
    await assert.rejects(bundleUnit(unit), refusal(/"secret" cannot be imported/));
  });
});
