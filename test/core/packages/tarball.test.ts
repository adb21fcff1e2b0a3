import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { checksumOf, fields, tarOf } from '../../../core/packages/tar.ts';
import { readTarball, tarballOf } from '../../../core/packages/tarball.ts';
import { refusalOf } from '../loader/unit-folders.ts';
import { emptyFolder, filesOf } from './plugin-files.ts';

/** A header of an archive, changed, with a checksum that fits. */
function changed(tar: Buffer, at: number, change: (header: Buffer) => void): Buffer {
  const copy = Buffer.from(tar);
  const header = copy.subarray(at, at + 512);
  change(header);
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, fields.checksum[0], 'latin1');
  return copy;
}

const named = (name: string) => (header: Buffer) => {
  header.fill(0, 0, 100);
  header.write(name, 0, 'latin1');
};
const typed = (type: string) => (header: Buffer) => void header.write(type, fields.type[0], 'latin1');

describe('a package', () => {
  it('comes back as it was put in', async (t) => {
    const file = join(await emptyFolder(t), 'a.tgz');
    const files = filesOf({ 'empty.ts': '', 'fixtures/a.b.json': '{}', 'long.ts': 'x'.repeat(1000) });
    await writeFile(file, tarballOf('acme', files));
    const { top, files: read } = await readTarball(file);
    assert.equal(top, 'acme');
    assert.deepEqual(
      [...read].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]).toSorted(),
      [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]).toSorted(),
    );
  });

  it('has the same bytes whatever the order of its files, and no time in its head', () => {
    const files = filesOf({ 'a/z.ts': '1', 'a/b.ts': '2' });
    const packed = tarballOf('acme', files);
    assert.deepEqual(packed, tarballOf('acme', new Map([...files].reverse())));
    assert.deepEqual([...packed.subarray(4, 8), packed[9]], [0, 0, 0, 0, 255]);
  });

  it('holds the archive that has been agreed on', () => {
    // The bytes of the archive are part of the format: who packs the same files later must get the same.
    const tar = tarOf('acme', new Map([['plugin.json', Buffer.from('{}')]]));
    assert.equal(tar.length, 4 * 512);
    assert.equal(tar.toString('latin1', 257, 265), 'ustar\u000000');
    assert.equal(tar.toString('latin1', 345, 349), 'acme');
    assert.equal(
      tar.toString('latin1', 100, 148),
      '0000644\u00000000000\u00000000000\u000000000000002\u000002263523000\u0000',
    );
  });

  it('is one that others can unpack', async (t) => {
    const folder = await emptyFolder(t);
    await writeFile(join(folder, 'a.tgz'), tarballOf('acme', filesOf({ 'fixtures/a.json': '[1]' })));
    await mkdir(join(folder, 'out'));
    execFileSync('tar', ['-xzf', join(folder, 'a.tgz'), '-C', join(folder, 'out')]);
    assert.equal(await readFile(join(folder, 'out', 'acme', 'fixtures', 'a.json'), 'utf8'), '[1]');
  });

  const unfit: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
    ['a hidden file', { '.env': '' }, /"\.env" is not a relative path/],
    ['node_modules', { 'node_modules/a/index.js': '' }, /"node_modules\/a\/index\.js" is not/],
    ['a path upwards', { '../a.ts': '' }, /"\.\.\/a\.ts" is not/],
    ['an absolute path', { '/etc/a.ts': '' }, /"\/etc\/a\.ts" is not/],
    ['a path of another system', { 'a\\b.ts': '' }, /is not a relative path/],
    ['a name with a line break', { 'a\n.ts': '' }, /"a\\n\.ts" is not/],
    ['a path that is too long', { [`${'a'.repeat(101)}`]: '' }, /longer than 100 characters/],
    [
      'a file that is a folder too',
      { lib: '', 'Lib/b/c.ts': '' },
      /lib cannot be a file and a folder of Lib\/b\/c\.ts/,
    ],
    ['names that some systems take for one', { 'Index.ts': '' }, /index\.ts and Index\.ts are one file/],
  ];
  for (const [what, files, message] of unfit) {
    it(`cannot hold ${what}`, async () => {
      assert.match((await refusalOf(() => tarballOf('acme', filesOf(files)))).message, message);
    });
  }

  it('cannot hold more than 1,000 files, more than 20 MiB, or no manifest', async () => {
    const many = new Map(Array.from({ length: 1000 }, (_, at) => [`f${at}.ts`, new Uint8Array()] as const));
    const large = new Map([['a.bin', new Uint8Array(20 * 1024 * 1024)]]);
    assert.match((await refusalOf(() => tarballOf('acme', new Map([...many, ...filesOf()])))).message, /1,000 files/);
    const { message } = await refusalOf(() => tarballOf('acme', new Map([...large, ['b.ts', Buffer.from('x')]])));
    assert.match(message, /20 MiB[\s\S]*no plugin\.json/);
  });
});

describe('a package of somebody else', () => {
  const tar = tarOf('acme', filesOf());
  const second = 1024;
  const three = tarOf('acme', filesOf({ 'b.ts': '' }));
  const hostile: readonly [string, Buffer, RegExp][] = [
    ['leaves its folder', changed(tar, 0, named('../../index.ts')), /"\.\.\/\.\.\/index\.ts" is not a relative path/],
    ['is for the root', changed(tar, 0, named('/etc/passwd')), /"\/etc\/passwd" is not/],
    [
      'stands in a folder above',
      changed(tar, 0, (header) => void header.write('..\0\0', fields.prefix[0])),
      /one folder/,
    ],
    ['holds a symbolic link', changed(tar, 0, typed('2')), /holds a symbolic link, "index\.ts"/],
    ['holds a hard link', changed(tar, 0, typed('1')), /holds a hard link/],
    ['holds a device', changed(tar, 0, typed('3')), /holds a device/],
    ['holds a folder', changed(tar, 0, typed('5')), /holds a folder/],
    ['holds an extension that other readers heed', changed(tar, 0, typed('x')), /an entry of an unknown type/],
    ['holds a file twice', changed(tar, second, named('index.ts')), /holds "index\.ts" twice/],
    [
      'has a size that goes beyond its end',
      changed(tar, second, (header) => void header.write('77777777777\0', 124)),
      /ends in the middle/,
    ],
    [
      'has a size that is no number',
      changed(tar, 0, (header) => void header.write('-0000000001\0', 124)),
      /a size is no number/,
    ],
    ['has a checksum that does not fit', Buffer.from(tar).fill('z', 0, 1), /checksum/],
    ['is no archive', Buffer.from('plain text '.repeat(100)), /no ustar archive/],
    ['is empty', Buffer.alloc(1024), /no plugin\.json/],
    ['says that a file may be run', changed(tar, 0, (header) => void header.write('0000755\0', 100)), /plugin pack/],
    ['belongs to somebody', changed(tar, 0, (header) => void header.write('0000001\0', 108)), /plugin pack/],
    [
      'has files in another order',
      Buffer.concat([three.subarray(512, 1536), three.subarray(0, 512), three.subarray(1536)]),
      /plugin pack/,
    ],
    ['goes on after its end', Buffer.concat([tar, Buffer.from('more')]), /plugin pack/],
    ['has no end', tar.subarray(0, -1024), /plugin pack/],
  ];
  for (const [what, archive, message] of hostile) {
    it(`is refused when it ${what}`, async (t) => {
      const file = join(await emptyFolder(t), 'a.tgz');
      await writeFile(file, gzipSync(archive));
      const error = await refusalOf(() => readTarball(file));
      assert.ok(error.message.startsWith(file), error.message);
      assert.match(error.message, message);
    });
  }

  it('is refused when it unpacks to a great deal', async (t) => {
    const file = join(await emptyFolder(t), 'a.tgz');
    const zeros = (mib: number) => gzipSync(Buffer.alloc(mib * 1024 * 1024));
    await writeFile(file, zeros(16));
    assert.match((await refusalOf(() => readTarball(file))).message, /more than 100 times its size/);
    await writeFile(
      file,
      Buffer.concat([
        zeros(30),
        gzipSync(
          Buffer.alloc(300_000, 'x').map((_, at) => (at * at) % 251),
          { level: 0 },
        ),
      ]),
    );
    assert.match((await refusalOf(() => readTarball(file))).message, /more than 20 MiB/);
  });

  it('is refused when it holds too many files', async (t) => {
    const file = join(await emptyFolder(t), 'a.tgz');
    const many = new Map(Array.from({ length: 1001 }, (_, at) => [`f${at}.ts`, new Uint8Array()] as const));
    await writeFile(file, gzipSync(tarOf('acme', many)));
    assert.match((await refusalOf(() => readTarball(file))).message, /1,000 files/);
  });

  it('is refused when it is no gzip file, or is not there', async (t) => {
    const file = join(await emptyFolder(t), 'a.tgz');
    assert.match((await refusalOf(() => readTarball(file))).message, /cannot be read \(ENOENT\)/);
    await writeFile(file, 'text');
    assert.match((await refusalOf(() => readTarball(file))).message, /no gzip file/);
    await writeFile(file, tarballOf('acme', filesOf()).subarray(0, -20));
    assert.match((await refusalOf(() => readTarball(file))).message, /no gzip file, or damaged/);
  });
});
