import type { PackageFiles } from './package-files.ts';

export const blockBytes = 512;
const mode = 0o644;
/** 1980-01-01: some tools complain about anything before. */
const mtime = 315_532_800;

/** Where the fields of a header stand (POSIX.1-1988 ustar), as offset and length. */
export const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  devMajor: [329, 8],
  devMinor: [337, 8],
  prefix: [345, 155],
} as const;

export const magic = 'ustar\u000000';

/** An archive of files in a folder `top`: the same bytes for the same files, whoever packs them, and when. */
export function tarOf(top: string, files: PackageFiles): Buffer {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const blocks = sorted.flatMap(([path, content]) => {
    const padding = (blockBytes - (content.byteLength % blockBytes)) % blockBytes;
    return [headerOf(top, path, content.byteLength), content, Buffer.alloc(padding)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

function headerOf(top: string, path: string, size: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  const put = (field: keyof typeof fields, text: string) => header.write(text, fields[field][0], 'latin1');
  const octal = (value: number, [, length]: readonly [number, number]) =>
    `${value.toString(8).padStart(length - 1, '0')}\0`;
  put('name', path);
  put('mode', octal(mode, fields.mode));
  for (const field of ['uid', 'gid', 'devMajor', 'devMinor'] as const) put(field, octal(0, fields[field]));
  put('size', octal(size, fields.size));
  put('mtime', octal(mtime, fields.mtime));
  put('type', '0');
  put('magic', magic);
  put('prefix', top);
  put('checksum', `${checksumOf(header).toString(8).padStart(6, '0')}\0 `);
  return header;
}

/** The sum of a header's bytes, its own field taken as spaces. */
export function checksumOf(header: Uint8Array): number {
  const [from, length] = fields.checksum;
  return header.reduce((sum, byte, at) => sum + (at >= from && at < from + length ? 0x20 : byte), 0);
}
