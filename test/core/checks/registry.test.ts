import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check, GatewayError, schema, secret, type Verdict } from 'portcullis/sdk';
import { checkInput } from 'portcullis/sdk/testing';
import { callOf, checksOf, readyOf, unitOf } from './unit-of.ts';

const nothing = schema.Object({}, { additionalProperties: false });
const phases = ['beforeRequest'] as const;
const passing = check({ title: 'Passes', config: nothing, phases, run: () => ({ pass: true }) });

describe('the checks of a gateway', () => {
  it('say whether they judge replies as a whole, for the config that they have', () => {
    const config = schema.Object({ all: schema.Boolean({ default: false }) }, { additionalProperties: false });
    const of = (whole: boolean | ((given: { all: boolean }) => boolean) | undefined, given = {}) => {
      const one = { title: 'One', config, phases, run: () => ({ pass: true }) };
      return readyOf(check(whole === undefined ? one : { ...one, whole }), {}, {}, given).whole;
    };
    assert.deepEqual([of(undefined), of(true)], [false, true]);
    assert.deepEqual([of(({ all }) => all), of(({ all }) => all, { all: true })], [false, true]);
  });

  it('are known by unit and name, in order, with what can be known before they run', () => {
    const remote = check({
      title: 'Calls',
      description: 'Calls out.',
      config: schema.Object({ words: schema.Array(schema.String()) }, { additionalProperties: false }),
      phases: ['beforeRequest', 'afterRequest'],
      endpoints: ['chatComplete'],
      scans: false,
      edits: 'only',
      remote: { timeoutMs: 7 },
      run: () => ({ pass: true }),
    });
    const credentials = schema.Object({ apiKey: secret() }, { additionalProperties: false });
    const { checks } = checksOf([
      unitOf({ passing }, { name: 'zeta', permissions: { sandbox: true } }),
      unitOf({ remote }, { name: 'alpha', credentials }),
    ]);
    assert.deepEqual(
      checks.summaries.map(({ id }) => id),
      ['alpha.remote', 'zeta.passing'],
    );
    const { config, credentials: shown, ...known } = checks.find('alpha.remote') ?? assert.fail('It is not there.');
    assert.deepEqual(known, {
      id: 'alpha.remote',
      unit: 'alpha',
      version: '1.2.3',
      trust: 'trusted',
      title: 'Calls',
      description: 'Calls out.',
      phases: ['beforeRequest', 'afterRequest'],
      endpoints: ['chatComplete'],
      scans: false,
      edits: 'only',
      remote: { timeoutMs: 7 },
      runsCode: false,
    });
    assert.deepEqual(
      [Object.keys(config.properties ?? {}), Object.keys(shown?.properties ?? {})],
      [['words'], ['apiKey']],
    );
    assert.equal(checks.find('zeta.passing')?.runsCode, true);
    assert.equal(checks.find('zeta.other'), undefined);
  });

  it('that are not there are refused with the nearest name', () => {
    const { checks } = checksOf([unitOf({ passing })]);
    assert.throws(() => checks.ready('unit.pasing', {}, 'checks[0]'), {
      code: 'invalid_config',
      param: 'checks[0]',
      message: 'No check has the id "unit.pasing". Did you mean unit.passing?',
    });
  });

  const config = schema.Object(
    { words: schema.Array(schema.String(), { minItems: 1 }), operator: schema.String({ default: 'any' }) },
    { additionalProperties: false },
  );
  it('refuse parameters that do not fit, with the place of the first fault', () => {
    const { checks } = checksOf([
      unitOf({ one: check({ title: 'One', config, phases, run: () => ({ pass: true }) }) }),
    ]);
    assert.throws(() => checks.ready('unit.one', { words: [], word: 1 }, 'checks[0].parameters'), {
      code: 'invalid_config',
      param: 'checks[0].parameters.word',
      message: /^checks\[0\]\.parameters: word is not a known key.*\nchecks\[0\]\.parameters: words must be/,
    });
  });

  it('say how many entries a mapping may have', () => {
    const pairs = schema.Unsafe<object>({ type: 'object', minProperties: 1, maxProperties: 2 });
    const one = check({ title: 'One', config: schema.Object({ pairs }), phases, run: () => ({ pass: true }) });
    const { checks } = checksOf([unitOf({ one })]);
    for (const refused of [{}, { a: 1, b: 2, c: 3 }])
      assert.throws(() => checks.ready('unit.one', { pairs: refused }, 'at'), {
        message: 'at: pairs must be a mapping of 1 to 2 entries.',
      });
  });

  for (const [name, field, message] of [
    [
      'a pattern that is none',
      { pattern: '(' },
      /^The guardrail unit unit: one\.config is no JSON Schema.*: Invalid regular/,
    ],
    [
      'a type that there is not',
      { type: 'text' },
      /^The guardrail unit unit: one\.config is no JSON Schema.*schema is invalid/,
    ],
  ] as const) {
    it(`end the start by the name of the unit and the check that has ${name}`, () => {
      const config = schema.Object({ a: schema.Unsafe(field) });
      const one = check({ title: 'One', config, phases, run: () => ({ pass: true }) });
      assert.throws(() => checksOf([unitOf({ one })]), { code: 'invalid_config', message });
      const credentials = schema.Object({ a: schema.Unsafe<string>(field) });
      const stored = unitOf({ passing }, { credentials });
      assert.throws(() => checksOf([stored]), { code: 'invalid_config', message: /unit unit: credentials is no JSON/ });
    });
  }

  it('end the start where a secret is marked in what is no property', () => {
    const nested = schema.Object({ logins: schema.Array(schema.Object({ password: secret() })) });
    const one = check({ title: 'One', config: nested, phases, run: () => ({ pass: true }) });
    const place = 'properties\\.logins\\.items\\.properties\\.password\\.x-secret is not accepted';
    for (const trust of ['trusted', 'sandboxed'] as const) {
      const at = (what: string) => ({ code: 'invalid_config', message: new RegExp(`unit unit: ${what}\\.${place}`) });
      assert.throws(() => checksOf([unitOf({ one }, { trust })]), at('one\\.config'));
      assert.throws(() => checksOf([unitOf({ passing }, { trust, credentials: nested })]), at('credentials'));
    }
    const direct = schema.Object({ headers: schema.Unsafe({ type: 'object', properties: {}, 'x-secret': true }) });
    const below = schema.Object({ login: schema.Object({ password: secret() }) });
    for (const config of [direct, below]) assert.ok(checksOf([unitOf({ one: { ...one, config } })]));
  });

  it('of the sandbox are held against their own patterns, to the first fault, and not with large values', () => {
    const fields = { a: schema.String({ pattern: '^a+$' }), b: schema.String({ pattern: '^b+$' }) };
    const one = check({ title: 'One', config: schema.Object(fields), phases, run: () => ({ pass: true }) });
    const { checks } = checksOf([unitOf({ one }, { trust: 'sandboxed' })]);
    assert.ok(checks.ready('unit.one', { a: 'aa', b: 'bb' }, 'at'));
    assert.throws(() => checks.ready('unit.one', { a: 'x', b: 'x' }, 'at'), {
      param: 'at.a',
      message: /^at: a [^\n]*$/,
    });
    assert.throws(() => checks.ready('unit.one', { a: 'a'.repeat(200_000), b: 'b' }, 'at'), {
      param: 'at',
      message: 'at: It may have 65536 bytes of JSON at most.',
    });
  });

  it('of the sandbox are held against the less, the more their patterns cost', () => {
    const answers = (patterns: readonly string[]) => {
      const config = schema.Object({ a: schema.Intersect(patterns.map((pattern) => schema.String({ pattern }))) });
      const one = check({ title: 'One', config, phases, run: () => ({ pass: true }) });
      const { checks } = checksOf([unitOf({ one }, { trust: 'sandboxed' })]);
      return (bytes: number) => checks.ready('unit.one', { a: 'a'.repeat(bytes - '{"a":""}'.length) }, 'at');
    };
    const cheap = answers(['^a+$']);
    assert.ok(cheap(65_536));
    assert.throws(() => cheap(65_537), { message: 'at: It may have 65536 bytes of JSON at most.' });
    const dear = answers(Array.from({ length: 16 }, (_, at) => `a|a[^c]{${at + 10}}b`));
    const told = /^at: It may have (\d+) bytes of JSON at most\.$/;
    let most = 0;
    assert.throws(
      () => dear(65_536),
      ({ message }: Error) => {
        most = Number(told.exec(message)?.[1]);
        return most > 1024 && most < 65_536;
      },
    );
    assert.ok(dear(most));
    assert.throws(() => dear(most + 1), { message: `at: It may have ${most} bytes of JSON at most.` });
  });

  it('are made ready once, from a copy with the defaults filled in', async () => {
    const prepared: unknown[] = [];
    const one = check({
      title: 'One',
      config,
      phases,
      prepare: (given) => {
        prepared.push(given);
        return given.operator;
      },
      run: (_, operator) => ({ pass: true, data: operator }),
    });
    const given = { words: ['x'] };
    const ready = readyOf(one, {}, {}, given);
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await ready.run(checkInput(), callOf()), { pass: true, data: 'any' });
    assert.deepEqual([prepared, given], [[{ words: ['x'], operator: 'any' }], { words: ['x'] }]);
    assert.equal(Object.isFrozen(prepared[0]), true);
  });

  const refusals: readonly [string, unknown, string, RegExp][] = [
    [
      'an error that names the field',
      new GatewayError('invalid_config', 'No such pattern.', { param: 'rule' }),
      'at.rule',
      /^at\.rule: No such pattern\.$/,
    ],
    ['an error that names none', new GatewayError('invalid_config', 'Not like this.'), 'at', /^at: Not like this\.$/],
    ['any other error', new RangeError('too far'), 'at', /cannot use these parameters: too far/],
    ['what is no error', 'nonsense', 'at', /threw something that is no error/],
  ];
  for (const [what, thrown, param, message] of refusals) {
    it(`place what prepare and accept throw: ${what}`, async () => {
      const refuse = (): never => {
        throw thrown;
      };
      const broken = check({ title: 'Broken', config: nothing, phases, prepare: refuse, run: () => ({ pass: true }) });
      assert.throws(() => readyOf(broken), { code: 'invalid_config', param, message });
      const later = check({
        title: 'Later',
        config: nothing,
        phases,
        accept: async () => refuse(),
        run: () => ({ pass: true }),
      });
      await assert.rejects(readyOf(later).accept(callOf()), { code: 'invalid_config', param, message });
    });
  }

  it('that cannot be looked at now are not refused for good', async () => {
    const headers = { 'retry-after': '7' };
    const busy = check({
      title: 'Busy',
      config: nothing,
      phases,
      accept: async () => {
        throw new GatewayError('not_ready', 'Busy.', { param: 'code', headers });
      },
      run: () => ({ pass: true }),
    });
    const refused = { code: 'not_ready', status: 503, param: 'at.code', message: 'at.code: Busy.', headers };
    await assert.rejects(readyOf(busy).accept(callOf()), refused);
  });

  it('without an accept of their own are accepted', async () => {
    await readyOf(passing).accept(callOf());
  });
});

describe('the verdict of a check', () => {
  const giving = (given: unknown, edits?: 'may') =>
    check({
      title: 'Gives',
      config: nothing,
      phases,
      ...(edits === undefined ? {} : { edits }),
      run: () => given as Verdict,
    });
  const later = (given: unknown) =>
    check({ title: 'Gives later', config: nothing, phases, run: async () => given as Verdict });
  const edits = [{ text: 0, start: 0, end: 1, with: '' }];

  for (const given of [undefined, null, {}, { pass: 'yes' }, 1]) {
    it(`is none: ${JSON.stringify(given)}`, async () => {
      assert.throws(() => readyOf(giving(given)).run(checkInput(), callOf()), {
        code: 'check_failed',
        message: /unit\.one gave something/,
      });
      await assert.rejects(async () => readyOf(later(given)).run(checkInput(), callOf()), { code: 'check_failed' });
    });
  }

  it('holds edits only where the check declares them', () => {
    const verdict = { pass: true, edits };
    assert.equal(readyOf(giving(verdict, 'may')).run(checkInput(), callOf()), verdict);
    assert.throws(() => readyOf(giving(verdict)).run(checkInput(), callOf()), {
      code: 'check_failed',
      message: /does not declare edits/,
    });
    const none = { pass: true, edits: [] };
    assert.equal(readyOf(giving(none)).run(checkInput(), callOf()), none);
  });

  it('comes without a promise where the check gives none', () => {
    assert.deepEqual(readyOf(passing).run(checkInput(), callOf()), { pass: true });
  });
});

describe('what a check sees', () => {
  const input = checkInput({
    text: 'hi',
    body: { a: 1 },
    reply: { b: 2 },
    headers: { 'x-a': 'b' },
    metadata: { team: 'c' },
  });
  const seeing = check({
    title: 'Sees',
    config: nothing,
    phases,
    run: ({ text, prompt, body, reply, headers, metadata }) => ({
      pass: true,
      data: { text, prompt, body, reply: reply ?? null, headers: { ...headers }, metadata: { ...metadata } },
    }),
  });
  const all = {
    text: 'hi',
    prompt: 'hi',
    body: { a: 1 },
    reply: { b: 2 },
    headers: { 'x-a': 'b' },
    metadata: { team: 'c' },
  };
  const empty = { ...all, body: {}, reply: null, headers: {}, metadata: {} };
  const table = [
    [[], empty],
    [['body'], { ...empty, body: all.body, reply: all.reply }],
    [['headers'], { ...empty, headers: all.headers }],
    [['metadata'], { ...empty, metadata: all.metadata }],
    [['credentials'], empty],
    [['body', 'headers', 'metadata'], all],
  ] as const;
  for (const [request, expected] of table) {
    it(`beside the texts is what its manifest asks for: ${request.join(', ') || 'nothing'}`, async () => {
      const { data } = await readyOf(seeing, { permissions: { request: [...request] } }).run(input, callOf());
      assert.deepEqual(data, expected);
    });
  }
});

describe('credentials for a unit', () => {
  const credentials = schema.Object({ apiKey: secret() }, { additionalProperties: false });
  const { checks } = checksOf([
    unitOf({ passing }, { name: 'vendor', credentials }),
    unitOf({ passing }, { name: 'plain' }),
  ]);

  it('are accepted where they fit', () => checks.checkCredentials('vendor', { apiKey: 'k' }, 'credentials'));

  for (const [unit, given, message] of [
    ['vendor', { apiKey: 'canary', more: 'canary' }, /more is not a known key/],
    ['vendor', {}, /apiKey is required/],
    ['plain', { apiKey: 'canary' }, /takes no credentials/],
    ['nobody', { apiKey: 'canary' }, /No guardrail unit/],
  ] as const) {
    it(`are refused, and never repeated: ${unit} ${Object.keys(given).join()}`, () => {
      assert.throws(
        () => checks.checkCredentials(unit, given, 'credentials'),
        (error: GatewayError) => {
          assert.equal(error.code, 'invalid_config');
          assert.match(error.message, message);
          assert.equal(error.message.includes('canary'), false);
          return true;
        },
      );
    });
  }
});
