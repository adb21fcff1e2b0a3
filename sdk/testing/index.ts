/** Tools for the tests of providers and plugins: `import { testProvider } from 'portcullis/sdk/testing'`. */
export { caseNames, type FixtureCase, type FixtureEvent, readCase } from './fixtures.ts';
export { createTestHost, type LogLine, type TestDirectory, type TestHost, type TestHostOptions } from './host.ts';
export { runHook, setupPlugin, testOutcome, testRecord, testRequest, testTarget } from './plugin.ts';
export { testProvider } from './provider.ts';
export {
  type RecordedRequest,
  type RecordedServer,
  type RecordedServerOptions,
  startRecordedServer,
} from './recorded-server.ts';
