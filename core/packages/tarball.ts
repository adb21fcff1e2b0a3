import { readFile, stat } from 'node:fs/promises';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { GatewayError } from 'portcullis/sdk';
import { checkFiles, maxBytes, maxFiles, type PackageFiles, tooLarge } from './package-files.ts';
import { blockBytes, tarOf } from './tar.ts';
import { type Archive, untar } from './untar.ts';

const maxTar = maxBytes + (maxFiles + 1) * 2 * blockBytes;
/** Beyond the first MiB, an archive may unpack to so many times its size. */
const maxRatio = 100;
const ratioFrom = 1024 * 1024;

/**
 * A package as one file, a gzipped archive. The same files give the same bytes under the same release of Node.
 * @param name of the plugin: the folder that the files stand in
 * @throws GatewayError `invalid_config` for files that a package cannot hold
 */
export function tarballOf(name: string, files: PackageFiles): Buffer {
  checkFiles(files, name);
  const packed = gzipSync(tarOf(name, files), { level: constants.Z_BEST_COMPRESSION });
  // The tenth byte names the system that packed it: unknown.
  packed[9] = 255;
  return packed;
}

/** @throws GatewayError `invalid_config` for anything but what `tarballOf` gives */
export async function readTarball(file: string): Promise<Archive & { readonly bytes: Buffer }> {
  const { size } = await stat(file).catch((cause) => unreadable(file, cause));
  if (size > maxTar) throw new GatewayError('invalid_config', tooLarge(file));
  const bytes = await readFile(file).catch((cause) => unreadable(file, cause));
  return { ...untar(unzipped(bytes, file), file), bytes };
}

function unzipped(bytes: Buffer, file: string): Buffer {
  const byRatio = ratioFrom + bytes.length * maxRatio;
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(maxTar, byRatio) });
  } catch (cause) {
    const large = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const bomb = `${file} unpacks to more than ${maxRatio} times its size.`;
    const why = large ? (byRatio < maxTar ? bomb : tooLarge(file)) : `${file} is no gzip file, or damaged.`;
    throw new GatewayError('invalid_config', why, { cause });
  }
}

function unreadable(file: string, cause: NodeJS.ErrnoException): never {
  throw new GatewayError('invalid_config', `${file} cannot be read (${cause.code ?? 'unknown reason'}).`, { cause });
}
