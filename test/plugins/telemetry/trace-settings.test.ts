import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { traceSettingsOf } from '../../../plugins/telemetry/traces/settings.ts';
import { variablesOf } from '../../../plugins/telemetry/variables.ts';

const settingsOf = (env: Readonly<Record<string, string>>) =>
  traceSettingsOf(variablesOf({ env: (name) => env[name] }));

describe('whether there are traces', () => {
  const table: readonly (readonly [Readonly<Record<string, string>>, string | undefined])[] = [
    [{}, undefined],
    [{ OTEL_PUSH_ENABLED: 'true' }, 'http://localhost:4318/v1/traces'],
    [{ OTEL_PUSH_ENABLED: 'false', OTEL_ENDPOINT: 'http://c:4318' }, undefined],
    [{ OTEL_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/traces'],
    [{ OTEL_ENDPOINT: 'http://c/otlp/' }, 'http://c/otlp/v1/traces'],
    [{ OTEL_ENDPOINT: 'http://c/v1/traces' }, 'http://c/v1/traces'],
    [{ OTEL_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d' }, 'http://d/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://e/x' }, 'http://e/x'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d', EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT: 'https://g' },
      'https://g/v1/traces',
    ],
    [{ EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: 'true' }, 'http://localhost:4318/v1/traces'],
    [{ EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: 'false' }, undefined],
    [{ OTEL_PUSH_ENABLED: 'true', OTEL_SDK_DISABLED: 'true' }, undefined],
    [{ OTEL_PUSH_ENABLED: 'true', OTEL_SDK_DISABLED: 'false' }, 'http://localhost:4318/v1/traces'],
    [{ OTEL_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' }, undefined],
    [{ OTEL_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'otlp' }, 'http://c:4318/v1/traces'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, undefined],
  ];
  for (const [env, url] of table)
    it(`${JSON.stringify(env)}: ${url ?? 'none'}`, () => assert.equal(settingsOf(env)?.url, url));
});

describe('the settings of traces', () => {
  it('are those that OpenTelemetry names', () => {
    assert.deepEqual(
      settingsOf({
        OTEL_ENDPOINT: 'http://c',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team=a%2Cb',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
        OTEL_SERVICE_NAME: 'gate',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=ignored',
        EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=models',
      }),
      {
        url: 'http://c/v1/traces',
        headers: { authorization: 'Bearer abc', 'x-team': 'a,b' },
        protocol: 'http/json',
        compression: 'none',
        timeoutMs: 2500,
        resource: { 'deployment.environment.name': 'models', 'service.name': 'gate' },
        sampling: { heedsCaller: true, ratio: 1 },
      },
    );
  });

  it('have a name for the service', () => {
    const nameOf = (attributes: string) =>
      settingsOf({ OTEL_ENDPOINT: 'http://c', OTEL_RESOURCE_ATTRIBUTES: attributes })?.resource['service.name'];
    assert.deepEqual([nameOf(''), nameOf('service.name=x')], ['portcullis', 'x']);
  });

  it('compress as is said for traces, else as is said for all', () => {
    const compressionOf = (all: string, traces: string) =>
      settingsOf({
        OTEL_ENDPOINT: 'http://c',
        OTEL_EXPORTER_OTLP_COMPRESSION: all,
        OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: traces,
      })?.compression;
    assert.deepEqual(
      [compressionOf('', ''), compressionOf('gzip', ''), compressionOf('gzip', 'none'), compressionOf('none', 'gzip')],
      ['none', 'gzip', 'none', 'gzip'],
    );
  });

  it('are those for traces, where such are given, before those for all', () => {
    const { headers, protocol, timeoutMs } =
      settingsOf({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=all',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=traces',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_TIMEOUT: '1',
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2',
      }) ?? {};
    assert.deepEqual([headers, protocol, timeoutMs], [{ 'x-key': 'traces' }, 'http/json', 2]);
  });

  it('give the headers of one place to no other', () => {
    const { headers } =
      settingsOf({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=secret',
        EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT: 'http://g',
        EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_HEADERS: 'x-key=other',
      }) ?? {};
    assert.deepEqual(headers, { 'x-key': 'other' });
  });

  for (const [name, value] of [
    ['OTEL_PUSH_ENABLED', 'maybe'],
    ['OTEL_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@c'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'no-value-here-secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-secret=%E0%A4%A'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x=secret%0d%0ay: z'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'no-value-here-secret'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '1.5'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'secret'],
    ['OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'zstd'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
    ['OTEL_RESOURCE_ATTRIBUTES', '=secret'],
    ['OTEL_SDK_DISABLED', 'secret'],
    ['OTEL_TRACES_EXPORTER', 'console'],
    ['OTEL_TRACES_SAMPLER', 'secret'],
  ] as const)
    it(`are refused by name, without what stands there: ${name}`, () =>
      assert.throws(
        () => settingsOf({ OTEL_ENDPOINT: 'http://c', [name]: value }),
        (error: Error & { param?: string }) => error.param === name && !/secret/.test(error.message),
      ));
});

describe('the sampling of traces', () => {
  const samplingOf = (sampler: string, argument?: string) =>
    settingsOf({
      OTEL_ENDPOINT: 'http://c',
      OTEL_TRACES_SAMPLER: sampler,
      ...(argument === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: argument }),
    })?.sampling;

  for (const [sampler, argument, sampling] of [
    ['parentbased_always_on', undefined, { heedsCaller: true, ratio: 1 }],
    ['parentbased_always_off', undefined, { heedsCaller: true, ratio: 0 }],
    ['parentbased_traceidratio', '0.25', { heedsCaller: true, ratio: 0.25 }],
    ['always_on', '0', { heedsCaller: false, ratio: 1 }],
    ['always_off', undefined, { heedsCaller: false, ratio: 0 }],
    ['traceidratio', undefined, { heedsCaller: false, ratio: 1 }],
    ['traceidratio', '.5', { heedsCaller: false, ratio: 0.5 }],
  ] as const)
    it(`is that of ${sampler} with ${argument ?? 'no number'}`, () =>
      assert.deepEqual(samplingOf(sampler, argument), sampling));

  for (const argument of ['1.5', '-1', '50%', '1e-1', 'half'])
    it(`takes no ${argument} for a part`, () =>
      assert.throws(() => samplingOf('traceidratio', argument), { param: 'OTEL_TRACES_SAMPLER_ARG' }));
});
