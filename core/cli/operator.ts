import { loadConfig as load } from '../config/effective.ts';
import { readEnvironment } from '../config/env.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';

/** The config that `--config`, the environment or the working folder names; `file` is undefined for embedded defaults. */
export async function loadConfig(
  path: string | undefined,
): Promise<{ readonly config: GatewayConfig; readonly file: string | undefined }> {
  const environment = readEnvironment();
  const loaded = await load(path === undefined ? environment : { ...environment, PORTCULLIS_CONFIG: path });
  return { config: loaded.config, file: loaded.path };
}
