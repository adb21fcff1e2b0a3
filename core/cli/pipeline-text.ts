import type { PipelineRow } from '../pipeline/compile.ts';

/** The pipeline as a table for people. */
export function pipelineText(rows: readonly PipelineRow[]): string {
  const lines = rows.map(({ phase, scope, kind, fail, plugins }) =>
    [phase.padEnd(14), scope.padEnd(8), kind.padEnd(9), fail.padEnd(7), plugins.join(' -> ') || '-'].join(' '),
  );
  return ['phase          scope    kind      fail    plugins', ...lines].join('\n');
}
