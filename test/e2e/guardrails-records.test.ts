import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { guarded, resultsOf, said, says, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const swap = (from: string, to: string) => ({ 'test-probe.swaps': { from, to } });
const now = Date.parse('2026-03-04T05:06:07.089Z');

describe('an async guardrail', () => {
  it('judges after the reply, for the record alone', async (t) => {
    const { ask, records } = await guarded(t);
    const entry = { ...without('bad'), async: true, on_fail: { feedback: { value: -2 } } };
    const reply = await ask(
      { input_guardrails: [{ id: 'in', ...entry }], output_guardrails: [{ id: 'out', ...entry }] },
      says('bad'),
    );
    assert.deepEqual([reply.status, said(reply), 'hook_results' in reply.json], [200, 'bad', false]);
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ id, phase, verdict, denied, async }) => [id, phase, verdict, denied, async]),
      [
        ['in', 'beforeRequest', false, false, true],
        ['out', 'afterRequest', false, false, true],
      ],
    );
    assert.deepEqual(
      record?.feedback?.map(({ value, metadata }) => [value, metadata.guardrailId, metadata.failedChecks]),
      [
        [-2, 'in', 'default.contains'],
        [-2, 'out', 'default.contains'],
      ],
    );
  });

  it('changes nothing, and sees what was given', async (t) => {
    const { ask, records } = await guarded(t);
    const later = { ...swap('a', 'b'), async: true };
    const lists = {
      input_guardrails: [later, swap('a', 'c'), { id: 'seen', 'default.contains': { words: ['a'] }, async: true }],
      output_guardrails: [later],
    };
    const reply = await ask(lists, says('a'));
    assert.deepEqual([said(reply), resultsOf(reply).length], ['c', 1]);
    const [record] = await records(1);
    assert.equal(record?.guardrails?.find(({ id }) => id === 'seen')?.verdict, true);
  });

  it('holds up neither the reply nor what fails beside it', async (t) => {
    const peer = await startPeer(t);
    const answer = Promise.withResolvers<void>();
    peer.next({ before: answer.promise, body: { verdict: false } });
    const { ask, records } = await guarded(t);
    const webhook = { 'default.webhook': { webhookURL: `${peer.origin}/hook` }, async: true };
    const reply = await ask({ input_guardrails: [webhook, { 'test-probe.crashes': {}, async: true }] });
    assert.equal(reply.status, 200);
    await peer.request(0);
    answer.resolve();
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ verdict, checks }) => [verdict, checks[0]?.error]),
      [
        [false, undefined],
        [true, 'check_failed'],
      ],
    );
  });

  it('runs its code to the end although the client has left', async (t) => {
    const peer = await startPeer(t);
    peer.always({ before: 'never' });
    const code = "export default ({ text }) => ({ pass: !text.includes('bad') })";
    const main = target(peer, { input_guardrails: [{ 'custom.code': { code }, async: true }] });
    const { url, records } = await guarded(t, { configs: { main }, defaultConfig: 'main' });
    const leaving = new AbortController();
    const sent = fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(says('bad')),
      signal: leaving.signal,
    });
    await peer.request(0);
    leaving.abort();
    await assert.rejects(sent, { name: 'AbortError' });
    const [record] = await records(1);
    assert.equal(record?.status, 499);
    assert.deepEqual(
      record?.guardrails?.map(({ verdict, checks }) => [verdict, checks[0]?.error]),
      [[false, undefined]],
    );
  });

  it('does not run on an error of the provider, but on the request that led to it', async (t) => {
    const { ask, records } = await guarded(t);
    const entry = { ...without('bad'), async: true };
    await ask({ input_guardrails: [entry], output_guardrails: [entry] }, says('bad', { model: 'echo-status-500' }));
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ phase }) => phase),
      ['beforeRequest'],
    );
  });

  it('runs where another guardrail has denied', async (t) => {
    const { ask, records } = await guarded(t);
    const lists = [
      { ...without('bad'), deny: true },
      { id: 'later', ...without('bad'), async: true },
    ];
    assert.equal((await ask({ input_guardrails: lists }, says('bad'))).status, 446);
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ id }) => id),
      ['input_guardrails_0', 'later'],
    );
  });
});

describe('a guardrail in shadow', () => {
  it('shows and logs its verdict, and has no effect', async (t) => {
    const { ask, records } = await guarded(t);
    const shadow = { ...without('bad'), ...swap('bad', 'good'), deny: true, mode: 'shadow' };
    const lists = { input_guardrails: [shadow], output_guardrails: [shadow, { ...shadow, sequential: true }] };
    const reply = await ask(lists, says('bad'));
    assert.deepEqual([reply.status, said(reply)], [200, 'bad']);
    const results = [...resultsOf(reply), ...resultsOf(reply, 'after')];
    assert.deepEqual(
      results.map(({ verdict, transformed, mode }) => [verdict, transformed, mode]),
      [
        [false, false, 'shadow'],
        [false, false, 'shadow'],
        [false, false, 'shadow'],
      ],
    );
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ shadow: watched, verdict, denied }) => [watched, verdict, denied]),
      [
        [true, false, false],
        [true, false, false],
        [true, false, false],
      ],
    );
  });

  it('is no warning when it does not deny', async (t) => {
    const { ask } = await guarded(t);
    assert.equal((await ask({ input_guardrails: [{ ...without('bad'), mode: 'shadow' }] }, says('bad'))).status, 200);
  });
});

describe('the record of a request', () => {
  it('holds what each guardrail came to', async (t) => {
    const { ask, records } = await guarded(t, {}, { now: () => now });
    await ask(
      {
        input_guardrails: [
          {
            id: 'g',
            guardrail_version_id: 'v7',
            ...swap('canary', 'x'),
            'test-probe.crashes': {},
            on_success: { feedback: {} },
          },
        ],
      },
      says('canary'),
      { headers: { 'x-gw-trace-id': 'trace-7' } },
    );
    const [record] = await records(1);
    assert.deepEqual(record?.guardrails, [
      {
        id: 'g',
        versionId: 'v7',
        phase: 'beforeRequest',
        verdict: true,
        denied: false,
        transformed: true,
        async: false,
        shadow: false,
        durationMs: 0,
        target: 'config',
        checks: [
          { id: 'test-probe.swaps', unit: 'test-probe@1.2.3', verdict: true, transformed: true, durationMs: 0 },
          {
            id: 'test-probe.crashes',
            unit: 'test-probe@1.2.3',
            verdict: true,
            transformed: false,
            error: 'check_failed',
            durationMs: 0,
          },
        ],
      },
    ]);
    assert.deepEqual(record?.feedback, [
      {
        traceId: 'trace-7',
        value: 5,
        weight: 1,
        metadata: {
          successfulChecks: 'test-probe.swaps',
          failedChecks: '',
          erroredChecks: 'test-probe.crashes',
          guardrailId: 'g',
          guardrailVersionId: 'v7',
        },
      },
    ]);
  });

  it('holds nothing where no guardrail ran', async (t) => {
    const { ask, records } = await guarded(t);
    await ask({});
    const [record] = await records(1);
    assert.deepEqual([record?.guardrails, record?.feedback, record?.spans], [undefined, undefined, undefined]);
  });

  const traced: Record<string, JsonObject> = {
    passed: without('none'),
    flagged: without('canary'),
    transformed: swap('canary', 'x'),
    shadow: { ...without('canary'), deny: true, mode: 'shadow' },
    async: { ...without('none'), async: true },
  };
  const tracing = { env: (name: string) => (name === 'EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED' ? 'true' : undefined) };
  const named = (lists: Record<string, JsonObject>) => Object.entries(lists).map(([id, entry]) => ({ id, ...entry }));
  const attributes = (id: string, phase: string, verdict: boolean, action: string, deny: boolean, async: boolean) => ({
    'portkey.guardrail.id': id,
    'portkey.guardrail.phase': phase,
    'portkey.guardrail.verdict': verdict,
    'portkey.guardrail.action': action,
    'portkey.guardrail.deny': deny,
    'portkey.guardrail.async': async,
  });

  it('holds a span for each where that is switched on', async (t) => {
    const { ask, records } = await guarded(t, {}, { ...tracing, now: () => now });
    await ask({ input_guardrails: named(traced) }, says('canary'));
    await ask({ output_guardrails: [{ id: 'ends', ...without('canary'), deny: true }] }, says('canary'));
    const spans = (await records(2)).flatMap((record) => record.spans ?? []);
    assert.deepEqual(
      spans.map(({ name, attributes: said }) => [name, said]),
      [
        ['portkey.guardrail.passed', attributes('passed', 'input', true, 'passed', false, false)],
        ['portkey.guardrail.flagged', attributes('flagged', 'input', false, 'flagged', false, false)],
        ['portkey.guardrail.transformed', attributes('transformed', 'input', true, 'transformed', false, false)],
        ['portkey.guardrail.shadow', attributes('shadow', 'input', false, 'shadow', true, false)],
        ['portkey.guardrail.async', attributes('async', 'input', true, 'passed', false, true)],
        ['portkey.guardrail.ends', attributes('ends', 'output', false, 'denied', true, false)],
      ],
    );
    assert.deepEqual([spans[0]?.startedAt, spans[0]?.durationMs], [now, 0]);
  });

  it('holds no span by default', async (t) => {
    const { ask, records } = await guarded(t);
    await ask({ input_guardrails: named(traced) }, says('canary'));
    const [record] = await records(1);
    assert.deepEqual(record?.spans, []);
  });

  it('never holds a text of the request, and neither does a log line', async (t) => {
    const { ask, records, log } = await guarded(t, {}, tracing);
    const all = named({ ...traced, crash: { 'test-probe.crashes': {} }, seen: { 'test-probe.sees': {} } });
    const feedback = { on_fail: { feedback: {} }, on_success: { feedback: {} } };
    const lists = all.map((entry) => ({ ...entry, ...feedback }));
    await ask({ input_guardrails: lists, output_guardrails: lists }, says('the canary'));
    assert.equal(JSON.stringify(await records(1)).includes('canary'), false);
    assert.equal(JSON.stringify(log).includes('canary'), false);
  });
});
