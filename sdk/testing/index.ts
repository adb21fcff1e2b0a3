/** Tools for the tests of providers, plugins and guardrails: `import { testProvider } from 'portcullis/sdk/testing'`. */
export { type CheckFixture, checkFixtureNames, readCheckFixture } from './check-fixture.ts';
export { testGuardrailFixtures } from './check-fixtures.ts';
export { type CheckHostOptions, type CheckNetwork, createCheckHost, type TestCheckHost } from './check-host.ts';
export { checkInput, type GivenInput, visibleInput } from './check-input.ts';
export { readyCheck, runCheck, type TestedCheck } from './check-run.ts';
export {
  type CheckRow,
  type CheckTables,
  type ErrorRow,
  type RefusedRow,
  testCheck,
  type VerdictRow,
} from './check-table.ts';
export { editedTexts, verdictFaults } from './check-verdict.ts';
export { conform } from './conformance/conform.ts';
export type { ConformanceOptions, ConformanceReport, ConformanceResult, GuardrailUnit } from './conformance/report.ts';
export { createTestCounters } from './counters.ts';
export { caseNames, type FixtureCase, type FixtureEvent, readCase } from './fixtures.ts';
export { createTestHost, type LogLine, type TestDirectory, type TestHost, type TestHostOptions } from './host.ts';
export { createTestMetrics, type TestMetrics } from './metrics.ts';
export { type ModelFault, modelFaults } from './model-faults.ts';
export { runHook, setupPlugin, testOutcome, testRecord, testRequest, testTarget } from './plugin.ts';
export { testProvider } from './provider.ts';
export {
  type RecordedRequest,
  type RecordedServer,
  type RecordedServerOptions,
  startRecordedServer,
} from './recorded-server.ts';
export { type VendorFault, vendorFaults } from './vendor-faults.ts';
