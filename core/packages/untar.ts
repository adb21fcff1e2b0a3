import { GatewayError } from 'portcullis/sdk';
import { checkFiles, maxFiles, type PackageFiles, tooMany } from './package-files.ts';
import { blockBytes, checksumOf, fields, magic, tarOf } from './tar.ts';

export interface Archive {
  /** The one folder that all files stand in. */
  readonly top: string;
  readonly files: PackageFiles;
}

const otherTypes: Readonly<Record<string, string>> = {
  1: 'a hard link',
  2: 'a symbolic link',
  3: 'a device',
  4: 'a device',
  5: 'a folder',
  6: 'a pipe',
};

/**
 * Reads an archive of `tarOf`, and no other: what cannot be said in one way only is refused.
 * @param where begins the messages
 * @throws GatewayError `invalid_config`
 */
export function untar(tar: Buffer, where: string): Archive {
  const refuse = (why: string): never => {
    throw new GatewayError('invalid_config', `${where} ${why}.`);
  };
  const files = new Map<string, Uint8Array>();
  const tops = new Set<string>();
  let at = 0;
  while (at + blockBytes <= tar.length && tar[at] !== 0) {
    const { path, top, size, type } = entryOf(tar.subarray(at, at + blockBytes), refuse);
    const shown = JSON.stringify(path);
    if (type !== '0')
      refuse(`holds ${otherTypes[type] ?? 'an entry of an unknown type'}, ${shown}; only files are accepted`);
    if (files.has(path)) refuse(`holds ${shown} twice`);
    at += blockBytes;
    if (at + size > tar.length) refuse(`ends in the middle of ${shown}`);
    files.set(path, tar.subarray(at, at + size));
    tops.add(top);
    if (files.size > maxFiles) throw new GatewayError('invalid_config', tooMany(where));
    at += Math.ceil(size / blockBytes) * blockBytes;
  }
  checkFiles(files, where);
  const [top = '', ...others] = tops;
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(top) || others.length > 0)
    refuse('must hold one folder, with the name of the plugin');
  // Owners, modes, times, order, padding: one form, so that nothing hides in the others.
  if (!tarOf(top, files).equals(tar)) refuse('is not as `portcullis plugin pack` writes it');
  return { top, files };
}

interface Entry {
  readonly path: string;
  readonly top: string;
  readonly size: number;
  readonly type: string;
}

function entryOf(header: Buffer, refuse: (why: string) => never): Entry {
  const raw = ([from, length]: readonly [number, number]) => header.toString('latin1', from, from + length);
  const text = (field: readonly [number, number]) => raw(field).split('\0')[0] ?? '';
  if (raw(fields.magic) !== magic) refuse('is no ustar archive');
  if (Number.parseInt(text(fields.checksum), 8) !== checksumOf(header)) refuse('is damaged: a checksum does not fit');
  const size = raw(fields.size);
  if (!/^[0-7]{11}\0$/.test(size)) refuse('is damaged: a size is no number');
  return {
    path: text(fields.name),
    top: text(fields.prefix),
    size: Number.parseInt(size, 8),
    type: raw(fields.type),
  };
}
