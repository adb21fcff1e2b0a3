import { after, type TestContext } from 'node:test';

/** For what all tests of the describe around this share: closed after them, what was opened last first. */
export function suiteScope(): Pick<TestContext, 'after'> {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  return { after: (cleanup) => cleanups.unshift(cleanup as () => unknown) };
}
