import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { GatewayError, type JsonObject, type Manifest } from 'portcullis/sdk';
import semver from 'semver';
import type { SigningKey } from '../config/gateway-config.ts';
import { readManifest } from '../loader/manifest.ts';
import { authorityOf, difference } from '../packages/authority.ts';
import { type InstalledUnit, installedIn, recover, stage, swapIn, unstage } from '../packages/install.ts';
import type { PackageFiles } from '../packages/package-files.ts';
import { signatureFaults, verifyFiles } from '../packages/signature.ts';
import { keyRingOf } from '../packages/signing-keys.ts';
import { readTarball } from '../packages/tarball.ts';
import type { Console } from './command.ts';
import { loadConfig } from './operator.ts';
import type { PluginOptions } from './plugin.ts';
import { readPublicKeys } from './plugin-key-files.ts';
import { isPackage, packageFilesOf } from './plugin-source.ts';

/** Puts a plugin into a folder of plugins, after a look at its signature, manifest and permissions. None of its code runs. */
export async function install(path: string, options: PluginOptions, out: Console): Promise<number> {
  const into = resolve(options.into ?? '');
  const keys = await keysOf(options);
  const { top: name, files } = await unpacked(path);
  await checkSignature(path, files, keys, options, out);
  if (await recover(into, name))
    out.complain(`An earlier installation of ${name} was cut short; what it replaced is back.`);
  const before = await installedIn(into, name);
  const staged = await stage(into, name, files);
  try {
    const manifest = readManifest({ path: staged, kind: undefined });
    checkChange(manifest, before, options, out);
    await swapIn(staged, into);
    out.print(
      `\n${name} ${manifest.version} is in ${join(into, name)}. To enable it, in ${options.config ?? 'portcullis.yaml'}:\n`,
    );
    out.print(enabling(manifest, into, keys, options));
  } finally {
    await unstage(staged);
  }
  return 0;
}

async function keysOf({ key = [], config }: PluginOptions): Promise<readonly SigningKey[]> {
  const accepted = config === undefined ? [] : (await loadConfig(config)).config.signingKeys;
  const all = [...accepted, ...(await readPublicKeys(key))];
  return all.filter(({ x }, index) => all.findIndex((other) => other.x === x) === index);
}

async function unpacked(path: string): Promise<{ readonly top: string; readonly files: PackageFiles }> {
  if (await isPackage(path)) return readTarball(path);
  const folder = resolve(path);
  return { top: readManifest({ path: folder, kind: undefined }).name, files: await packageFilesOf(folder) };
}

async function checkSignature(
  path: string,
  files: PackageFiles,
  keys: readonly SigningKey[],
  { unsigned = false }: PluginOptions,
  out: Console,
): Promise<void> {
  if (unsigned && keys.length === 0) {
    out.complain(`Nobody vouches for ${basename(path)}: its signature is not verified.`);
    return;
  }
  if (unsigned) throw new GatewayError('bad_request', 'Give keys or --unsigned, not both.', { param: 'unsigned' });
  if (keys.length === 0) {
    const text =
      'Name the keys that you trust: --key PUBLIC.json, or --config FILE with plugins.signing_keys. Without a signature: --unsigned.';
    throw new GatewayError('bad_request', text, { param: 'key' });
  }
  const report = await verifyFiles(files, await keyRingOf(keys, 'plugins.signing_keys'));
  const lines = signatureFaults(report, (file) => file);
  if (lines.length > 0) throw new GatewayError('invalid_config', `${path} is not installed:\n${lines.join('\n')}`);
}

/** Shows what the plugin asks for. @throws GatewayError for more permissions, or an older version, that nobody has agreed to */
function checkChange(
  manifest: Manifest,
  before: InstalledUnit | undefined,
  options: PluginOptions,
  out: Console,
): void {
  const { name, version, title } = manifest;
  const now = authorityOf(manifest as unknown as JsonObject);
  const { added, removed } = difference(before === undefined ? now : authorityOf(before.manifest), now);
  const from = before === undefined ? '' : ` in place of ${before.version}`;
  out.print(`${name} ${version}${from}: ${title.replace(/\s+/g, ' ')}`);
  out.print(`It asks for:\n${now.map((line) => `${added.includes(line) ? '+' : ' '} ${line}`).join('\n')}`);
  if (removed.length > 0) out.print(`It no longer asks for:\n${removed.map((line) => `- ${line}`).join('\n')}`);
  const accepted = options.yes === true || options['accept-permissions'] === true;
  if (added.length > 0 && !accepted) {
    const text = `${name} ${version} asks for more than ${before?.version} did: ${added.join('; ')}. Agree by --accept-permissions or --yes.`;
    throw new GatewayError('bad_request', text, { param: 'accept-permissions' });
  }
  if (before !== undefined && semver.lt(version, before.version) && options['allow-downgrade'] !== true) {
    const text = `${name} ${before.version} is there, which is newer. Agree by --allow-downgrade.`;
    throw new GatewayError('bad_request', text, { param: 'allow-downgrade' });
  }
}

/** The lines of the operator's file that enable a plugin. */
function enabling({ kind }: Manifest, into: string, keys: readonly SigningKey[], { config }: PluginOptions): string {
  const path = relative(dirname(resolve(config ?? 'portcullis.yaml')), into)
    .split(sep)
    .join('/');
  const shown = path === '' ? '.' : path;
  const trust =
    kind === 'guardrail'
      ? 'sandboxed'
      : `trusted   # a ${kind} runs inside the gateway, with all that the gateway may do`;
  const lines = [
    'plugins:',
    '  folders:',
    `    - path: ${JSON.stringify(shown)}`,
    `      trust: ${trust}`,
    ...(keys.length === 0 ? [] : ['      require_signature: true', '  signing_keys:']),
    ...keys.map(({ kty, crv, x }) => `    - { kty: ${kty}, crv: ${crv}, x: ${x} }`),
  ];
  return lines.join('\n');
}
