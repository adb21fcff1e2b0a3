import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { faults, filesBelow, isComment, sources, tests, textOf, unitPaths } from './tree.ts';

const typed = [...sources, ...tests].filter((path) => path.endsWith('.ts'));

describe('the source', () => {
  it('reads the environment in one place', () => {
    const allowed = new Set(['core/config/env.ts']);
    assert.deepEqual(
      faults(
        sources.filter((path) => !allowed.has(path) && !/^core\/cli\/.*\.mjs$/.test(path)),
        (line) => /\bprocess\.env\b/.test(line),
      ),
      [],
    );
  });

  it('has no drawer of a file or folder', () => {
    const drawer = /(^|[/-])(utils?|helpers?|common|managers?|services?|misc|shared)([./-]|$)/;
    assert.deepEqual(
      [...sources, ...tests].filter((path) => drawer.test(path)),
      [],
    );
  });

  it('is named in kebab-case', () => {
    assert.deepEqual(
      [...sources, ...tests].filter((path) => !/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(basename(path))),
      [],
    );
  });

  it('switches no type check off', () => {
    const untyped = /\bas any\b|:\s*any\s*[;,)=\]|}>]|<any\b|\bany\[\]|@ts-(ignore|expect-error|nocheck)/;
    const self = 'test/repo/source.test.ts';
    assert.deepEqual(
      faults(
        typed.filter((path) => path !== self),
        (line) => untyped.test(line.replace(/^\s*\*.*/, '')),
      ),
      [],
    );
  });

  it('prints nothing by itself', () => {
    assert.deepEqual(
      faults(sources, (line) => !isComment(line) && /\bconsole\.\w+\(/.test(line)),
      [],
    );
  });

  it('names no vendor in the core and the sdk, other than wire formats and the sources of facts', () => {
    const fixed = [
      'openai',
      'anthropic',
      'claude',
      'azure',
      'bedrock',
      'vertex',
      'cohere',
      'mistral',
      'groq',
      'deepseek',
      'ollama',
    ];
    const words = new Set([
      'echo',
      'fal',
      'lightning',
      'localai',
      'modal',
      'scenario',
      'together',
      'workers',
      'x',
      'z',
    ]);
    const derived = unitPaths()
      .filter((unit) => unit.startsWith('providers/'))
      .flatMap((unit) => [basename(unit), basename(unit).replace(/-ai$/, '')])
      .filter((name) => !words.has(name));
    const vendor = new RegExp(`(?<![a-z])(${[...new Set([...fixed, ...derived])].join('|')})(?![a-z])`, 'i');
    // Fields and event names of a wire format, as its documents spell them.
    const wire = [
      /\bgoogle_(search|search_retrieval|maps)\b/,
      /\bgoogle(Search|SearchRetrieval|Maps)\b/,
      /\btype\.googleapis\.com\/google\.rpc\b/,
      /'anthropic-version'/,
      // Names of formats, and of what holds them.
      /'cohere(-embeddings)?'/,
      /\/cohere(-embeddings)?\//,
      /\bcohere(Embeddings)?(?=[,:)]| \})/,
    ];
    // Metadata services go by their owners' names and addresses.
    const places = new Set([
      'core/upstream/machine.ts',
      'core/upstream/url-guard/addresses.ts',
      'core/upstream/url-guard/hosts.ts',
    ]);
    // What several units of one platform share: its identities and signatures.
    const shared = /^sdk\/providers\//;
    const named = faults(
      sources.filter((path) => /^(core|sdk)\//.test(path) && !places.has(path) && !shared.test(path)),
      (line, path) => {
        if (/ from '\.\/providers\/[\w/-]+\.ts';$/.test(line)) return false;
        const cites = isComment(line) && /^sdk\/(dialects|requests|framing)\//.test(path);
        return !cites && vendor.test(wire.reduce((text, word) => text.replaceAll(new RegExp(word, 'g'), ''), line));
      },
    );
    assert.deepEqual(named, []);
  });

  it('is short: a file 300 lines at most, one of a unit 200', (context) => {
    const sizes = sources
      .map((path) => ({ path, lines: textOf(path).split('\n').length - 1 }))
      .sort((a, b) => b.lines - a.lines);
    for (const { path, lines } of sizes.slice(0, 10)) context.diagnostic(`${lines} ${path}`);
    context.diagnostic(`${sizes.length} files, ${sizes.reduce((sum, { lines }) => sum + lines, 0)} lines`);
    const isUnit = (path: string) => /^(providers|guardrails|plugins)\//.test(path);
    // The neutral form is one closed vocabulary, read as one page.
    const whole = new Set(['sdk/dialects/neutral.ts']);
    const long = sizes.filter(({ path, lines }) => !whole.has(path) && lines > (isUnit(path) ? 200 : 300));
    assert.deepEqual(
      long.map(({ path, lines }) => `${path}: ${lines}`),
      [],
    );
  });
});

describe('the tests', () => {
  it('all run', () => {
    assert.deepEqual(
      faults(tests, (line) =>
        /\b(?:it|test|describe|suite)\.(?:skip|only|todo)\b|\{\s*(?:skip|only|todo):\s*true/.test(line),
      ),
      [],
    );
  });

  it('stand under test/, never beside the sources', () => {
    assert.deepEqual(
      sources.filter((path) => /\.(test|spec)\.[mc]?[tj]s$/.test(path)),
      [],
    );
  });
});

describe('every file', () => {
  const text = /\.(ts|mjs|json|md|ya?ml|sh)$|(^|\/)(Dockerfile|node24|run)$/;
  const files = ['.ci', 'core', 'sdk', 'providers', 'guardrails', 'plugins', 'test']
    .flatMap(filesBelow)
    .concat(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'package.json'])
    .filter((path) => text.test(path) && !path.includes('/fixtures/') && !path.includes('/recordings/'));

  it('is finished', () => {
    const words = [
      ['TO', 'DO'],
      ['FIX', 'ME'],
      ['HA', 'CK'],
      ['XX', 'X'],
    ].map((halves) => halves.join(''));
    const unfinished = new RegExp(`\\b(${words.join('|')})\\b|${['not', 'implemented'].join(' ')}`);
    assert.deepEqual(
      faults(files, (line) => unfinished.test(line)),
      [],
    );
  });

  it('names no path of anybody’s machine', () => {
    assert.deepEqual(
      faults(files, (line) => /(^|[\s"'`(=])\/(home|Users|root|work)\/\w/.test(line)),
      [],
    );
  });
});
