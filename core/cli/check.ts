import { createGateway } from '../gateway.ts';
import { silentLog } from '../log.ts';
import type { Arguments, Console } from './command.ts';
import { loadConfig } from './operator.ts';
import { pipelineText } from './pipeline-text.ts';

/** Validates the operator's file as a start would, and prints what would run. */
export async function check({ config }: Arguments, out: Console): Promise<number> {
  const loaded = await loadConfig(config);
  const gateway = await createGateway(loaded.config, { log: silentLog });
  out.print(`${loaded.file ?? 'The embedded defaults'}: no faults.\n\n${pipelineText(gateway.runtime.pipeline.rows)}`);
  await gateway.close();
  return 0;
}
