import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resourceFromAttributes } from '@opentelemetry/resources';
import fc from 'fast-check';
import type { RequestRecord } from 'portcullis/sdk';
import { w3cTraceId as coreTraceId } from '../../../core/telemetry/trace-context.ts';
import { childSpanId, isSpanId, w3cTraceId } from '../../../plugins/telemetry/traces/ids.ts';
import { spansOf } from '../../../plugins/telemetry/traces/spans.ts';
import { aRecord } from './a-record.ts';

const resource = resourceFromAttributes({});
const startedAt = 1_700_000_000_000;

/** Milliseconds from the start of the request. */
const offset = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 - startedAt + nanos / 1e6;

describe('the ids of traces', () => {
  it('are those that the gateway tells providers', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uuid(), fc.stringMatching(/^[0-9a-fA-F]{32}$/)), (text) =>
        assert.equal(w3cTraceId(text), coreTraceId(text)),
      ),
    ));

  it('of the parts of a request are all different, and well formed', () =>
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{16}$/).filter(isSpanId), (spanId) => {
        const ids = [spanId, ...Array.from({ length: 40 }, (_, index) => childSpanId(spanId, index + 1))];
        assert.ok(ids.every(isSpanId));
        assert.equal(new Set(ids).size, ids.length);
      }),
    ));
});

describe('what other systems keep in a trace', () => {
  const member = (key: string, length: number) => `${key}=${'v'.repeat(length - key.length - 1)}`;
  const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['stays as it is where it fits', [member('a', 255), member('b', 256)], [member('a', 255), member('b', 256)]],
    [
      'loses long members first, and of these the last',
      [member('a', 129), member('b', 100), member('c', 129), member('d', 100), member('e', 100)],
      [member('a', 129), member('b', 100), member('d', 100), member('e', 100)],
    ],
    [
      'then loses members from the end',
      [...'abcdefgh'].map((key) => member(key, 80)).toSpliced(3, 0, member('long', 200)),
      [...'abcdef'].map((key) => member(key, 80)),
    ],
  ];
  for (const [which, given, kept] of table) {
    it(which, () => {
      const callersTrace = {
        traceId: '0af7651916cd43dd8448eb211c80319c',
        parentSpanId: 'b7ad6b7169203331',
        sampled: true,
        state: given.join(','),
      };
      const [root] = spansOf(aRecord({ callersTrace }), resource);
      assert.equal(root?.spanContext().traceState?.serialize(), kept.join(','));
    });
  }
});

describe('the spans of a request', () => {
  it('say what was asked of whom, and what came of it', () => {
    const [root] = spansOf(
      aRecord({
        provider: 'mistral-ai',
        repliedModel: 'm-1-2026-11',
        stream: true,
        usage: { input: 30, output: 40, cacheRead: 10, cacheWrite: 5, reasoning: 7 },
        organisationId: 'org',
        workspaceId: 'ws',
        keyId: 'key-id',
        configSlug: 'main',
        cache: 'MISS',
        metadata: { _user: 'u', team: 'search' },
        timings: {
          parse: 0.1,
          prepare: 0.1,
          guardrailsBefore: 0,
          cache: 0,
          upstream: 50,
          guardrailsAfter: 0,
          firstByte: 51.5,
        },
      }),
      resource,
    );
    assert.equal(root?.name, 'chat m');
    assert.deepEqual(root?.attributes, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.request.model': 'm',
      'gen_ai.request.stream': true,
      'gen_ai.response.model': 'm-1-2026-11',
      'gen_ai.response.time_to_first_chunk': 0.0515,
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.usage.cache_read.input_tokens': 10,
      'gen_ai.usage.cache_creation.input_tokens': 5,
      'gen_ai.usage.reasoning.output_tokens': 7,
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'url.path': '/v1/chat/completions',
      'portcullis.request.id': '2b3ef1e2-58aa-4a0d-8a5a-0d6c3f5e8a11',
      'portcullis.principal': 'key:web',
      'portcullis.organisation.id': 'org',
      'portcullis.workspace.id': 'ws',
      'portcullis.api_key.id': 'key-id',
      'portcullis.config': 'main',
      'portcullis.target': 'config',
      'portcullis.cache.status': 'MISS',
      'portcullis.cost_usd': 1.5,
      'portcullis.overhead_ms': 1.5,
      'portcullis.metadata._user': 'u',
      'portcullis.metadata.team': 'search',
    });
  });

  it('stand where they happened: stages, calls of providers and what plugins add', () => {
    const attempt = (provider: string, status: number, at: number) => ({
      target: 'config.targets[0]',
      provider,
      status,
      startedAt: 5000 + at,
      durationMs: 20,
      ...(status < 400 ? {} : { error: 'upstream_error' }),
    });
    const spans = spansOf(
      aRecord({
        attempts: [attempt('one', 500, 0), attempt('x-ai', 200, 30)],
        timings: {
          parse: 2,
          prepare: 0.5,
          guardrailsBefore: 7.5,
          cache: 0,
          upstream: 40,
          guardrailsAfter: 3,
          firstByte: 70,
        },
        spans: [
          {
            name: 'portkey.guardrail.g',
            startedAt: startedAt + 3,
            durationMs: 6,
            attributes: { 'portkey.guardrail.verdict': true },
          },
        ],
      }),
      resource,
    );
    assert.deepEqual(
      spans.map(({ name, kind, startTime, duration, status }) => [
        name,
        kind,
        offset(startTime),
        duration[1] / 1e6,
        status.code,
      ]),
      [
        ['chat m', 1, 0, 100, 0],
        ['portcullis.parse', 0, 0, 2, 0],
        ['portcullis.guardrails_before', 0, 2.5, 7.5, 0],
        ['portcullis.guardrails_after', 0, 67, 3, 0],
        ['call one', 2, 10, 20, 2],
        ['call x-ai', 2, 40, 20, 0],
        ['portkey.guardrail.g', 0, 3, 6, 0],
      ],
    );
    const [root, ...children] = spans;
    const context = root?.spanContext();
    for (const child of children) {
      assert.equal(child.parentSpanContext?.spanId, context?.spanId);
      assert.equal(child.parentSpanContext?.isRemote, false);
      assert.equal(child.spanContext().traceId, context?.traceId);
    }
    assert.equal(children[3]?.attributes['error.type'], 'upstream_error');
    assert.equal(children[4]?.attributes['gen_ai.provider.name'], 'x_ai');
  });

  it('last as long as a stream flows: the call that serves it, and not those before', () => {
    const attempt = (status: number, at: number) => ({
      target: 'config',
      provider: 'one',
      status,
      startedAt: 5000 + at,
      durationMs: 20,
    });
    const spans = spansOf(aRecord({ stream: true, attempts: [attempt(503, 0), attempt(200, 30)] }), resource);
    assert.deepEqual(
      spans.map(({ startTime, duration }) => [offset(startTime), duration[1] / 1e6]),
      [
        [0, 100],
        [0, 20],
        [30, 70],
      ],
    );
  });

  it('hang below the caller’s span where it has one', () => {
    const parentOf = (parentSpanId: string | undefined) => spansOf(aRecord({ parentSpanId }), resource)[0];
    assert.equal(parentOf('00f067aa0ba902b7')?.parentSpanContext?.spanId, '00f067aa0ba902b7');
    assert.equal(parentOf('00f067aa0ba902b7')?.parentSpanContext?.isRemote, true);
    const named = parentOf('the login step');
    assert.equal(named?.parentSpanContext, undefined);
    assert.equal(named?.attributes['portcullis.parent_span.id'], 'the login step');
    assert.equal(parentOf(undefined)?.parentSpanContext, undefined);
  });

  it('carry the name that the caller gives, or what was asked', () => {
    const nameOf = (...fields: Parameters<typeof aRecord>) => spansOf(aRecord(...fields), resource)[0]?.name;
    assert.equal(nameOf({ spanName: 'summarise' }), 'summarise');
    assert.equal(nameOf({ endpoint: 'embed' }), 'embeddings m');
    assert.equal(
      nameOf({ endpoint: 'listModels', method: 'GET', model: undefined, requestedModel: undefined }),
      'GET listModels',
    );
  });

  it('fail where the gateway or a provider did, not where the caller was wrong', () => {
    const failing = (status: number, error?: string) => {
      const [root] = spansOf(aRecord({ status, error }), resource);
      return [root?.status.code, root?.attributes['error.type']];
    };
    assert.deepEqual(failing(200), [0, undefined]);
    assert.deepEqual(failing(446, 'guardrail_denied'), [0, 'guardrail_denied']);
    assert.deepEqual(failing(404), [0, '404']);
    assert.deepEqual(failing(503, 'upstream_unreachable'), [2, 'upstream_unreachable']);
    assert.deepEqual(failing(499, 'client_closed'), [0, 'client_closed']);
  });

  it('name a model that has answered, and none where nobody has', () => {
    const answering = (fields: Partial<RequestRecord>) =>
      spansOf(aRecord(fields), resource)[0]?.attributes['gen_ai.response.model'];
    assert.equal(answering({}), 'm-1');
    assert.equal(answering({ status: 499, repliedModel: 'm-1-2026' }), 'm-1-2026');
    for (const status of [401, 429, 446, 503]) assert.equal(answering({ status }), undefined);
  });

  it('fail where a reply that had begun did not come to its end', () => {
    const code = (error: string) => spansOf(aRecord({ stream: true, error }), resource)[0]?.status.code;
    assert.equal(code('upstream_unreachable'), 2);
    assert.equal(code('upstream_stalled'), 2);
    assert.equal(code('guardrail_denied'), 0);
  });
});
