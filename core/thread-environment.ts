import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment of a thread of this program: where code is kept that was compiled once, which a thread does not inherit by
 * itself, and nothing of the operator's.
 */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const ofThisVersion = getCompileCacheDir();
  return ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) };
}
