import { mkdirSync } from 'node:fs';
import { GatewayError } from 'portcullis/sdk/errors';

/** Makes the folder of the embedded database and of its key, for its owner alone. @throws GatewayError `invalid_config` */
export function makeDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new GatewayError(
      'invalid_config',
      `The data folder ${folder} cannot be made (${reason}): set DATA_DIR to a place that the gateway may write to.`,
      { param: 'DATA_DIR', cause },
    );
  }
}
