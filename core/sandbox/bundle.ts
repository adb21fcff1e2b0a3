import { realpath } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import type { BuildOptions, Message, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { GatewayError } from 'portcullis/sdk';

export const maxSource = 64 * 1024;
const maxBundle = 1024 * 1024;
/** The bundler is a process of its own, which is let go when there is nothing to do. */
const idleMs = 10_000;

const sdkFolder = join(import.meta.dirname, '..', '..', 'sdk');
const guestSdk = join(sdkFolder, 'guest.ts');
const types = join(sdkFolder, 'type-builders.ts');
const leanTypes = join(sdkFolder, 'guest', 'type.ts');
const readable = new Set(['.ts', '.mts', '.js', '.mjs', '.json']);

/**
 * Custom code as one script: JavaScript or TypeScript with a default export. It may import `portcullis/sdk` and nothing else.
 * @throws GatewayError `invalid_config` naming `param`, line and column; `not_ready` where the bundler cannot be had
 */
export async function bundleCode(source: string, param: string): Promise<string> {
  if (Buffer.byteLength(source) > maxSource)
    throw new GatewayError('invalid_config', `${param} is longer than 64 KiB.`, { param });
  return bundled(
    {
      stdin: { contents: source.replace(/^\uFEFF/, ''), loader: 'ts', sourcefile: 'code' },
      plugins: [resolver(undefined)],
    },
    (message) => `${param}${placeOf(message)}: ${toldOf(message)}`,
    param,
  );
}

/**
 * A unit as one script: its `index.ts` and what that imports from its own folder.
 * @throws GatewayError `invalid_config` naming file, line and column
 */
export async function bundleUnit(folder: string): Promise<string> {
  const root = await realpath(folder);
  const file = join(root, 'index.ts');
  const entry = await realpath(file).catch((cause) => {
    throw new GatewayError('invalid_config', `${file} cannot be read (${cause.code ?? 'unknown reason'}).`, { cause });
  });
  if (!isBelow(root, entry)) throw new GatewayError('invalid_config', `${file} is outside of the unit's folder.`);
  return bundled(
    { entryPoints: [entry], plugins: [resolver(root)] },
    (message) => `${message.location?.file ?? entry}${placeOf(message)}: ${toldOf(message)}`,
  );
}

async function bundled(options: BuildOptions, sentence: (message: Message) => string, param?: string): Promise<string> {
  const details = param === undefined ? {} : { param };
  const output = await built(options).catch(async (failure: { errors?: readonly Message[] }) => {
    if (failure.errors === undefined) throw await bundlerLost(failure);
    const lines = failure.errors.slice(0, 5).map(sentence);
    throw new GatewayError('invalid_config', lines.join('\n'), { ...details, cause: failure });
  });
  if (Buffer.byteLength(output) <= maxBundle) return output;
  throw new GatewayError('invalid_config', 'With all that it imports, the code is larger than 1 MiB.', details);
}

/** It ended in the middle, and would not begin anew by itself. */
async function bundlerLost(cause: unknown): Promise<GatewayError> {
  const { stop } = await import('esbuild');
  await stop();
  const message = 'The code could not be compiled: the bundler came to its end. Try again shortly.';
  return new GatewayError('not_ready', message, { headers: { 'retry-after': '1' }, cause });
}

let building = 0;
let idle: NodeJS.Timeout | undefined;

async function built(options: BuildOptions): Promise<string> {
  building += 1;
  clearTimeout(idle);
  // Gateways without custom code never load it.
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      ...options,
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'unit',
      target: 'es2022',
      platform: 'neutral',
      treeShaking: true,
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'silent',
      tsconfigRaw: '{}',
    });
    // The script goes into a function, where a hashbang is no syntax.
    return (outputFiles[0]?.text ?? '').replace(/^#!.*\n/, '');
  } finally {
    building -= 1;
    if (building === 0) idle = setTimeout(() => void stop(), idleMs).unref();
  }
}

/** `root`: the folder that imports may not leave; undefined: there are no files. */
function resolver(root: string | undefined): Plugin {
  return {
    name: 'sandbox',
    setup: ({ onResolve }) => {
      onResolve({ filter: /.*/ }, async (args) => {
        if (args.kind === 'entry-point') return undefined;
        return isBelow(sdkFolder, args.importer) ? ofSdk(args) : ofGuest(args, root);
      });
    },
  };
}

function ofSdk({ path, resolveDir }: OnResolveArgs): OnResolveResult {
  // Modules of the sdk do nothing when they are loaded: what is not used is left out whole.
  const file = resolve(resolveDir, path);
  return { path: file === types ? leanTypes : file, sideEffects: false };
}

async function ofGuest({ path, resolveDir }: OnResolveArgs, root: string | undefined): Promise<OnResolveResult> {
  if (path === 'portcullis/sdk') return { path: guestSdk, sideEffects: false };
  if (!/^\.{1,2}\//.test(path))
    return refused(`"${path}" cannot be imported: in the sandbox there is portcullis/sdk alone.`);
  if (root === undefined) return refused(`"${path}" cannot be imported: custom code is one file.`);
  const file = await realpath(resolve(resolveDir, path)).catch(() => undefined);
  if (file === undefined) return refused(`"${path}" is no file; imports name files by their whole name.`);
  // Symbolic links have been followed by now.
  if (!isBelow(root, file)) return refused(`"${path}" is outside of the unit's folder.`);
  if (!readable.has(extname(file))) return refused(`"${path}" is no .ts, .mts, .js, .mjs or .json file.`);
  return { path: file };
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(`${folder}${sep}`);
}

function refused(text: string): OnResolveResult {
  return { errors: [{ text }] };
}

/** The bundler speaks of its own format, and of where the gateway is installed. */
function toldOf({ text }: Message): string {
  const missing = /^No matching export in "[^"]*\bsdk\/guest\.ts" for import "(.+)"$/.exec(text)?.[1];
  if (missing !== undefined) return `portcullis/sdk exports no "${missing}".`;
  return text.startsWith('Top-level await') ? 'await can stand within functions alone.' : text;
}

function placeOf({ location }: Message): string {
  if (location === null) return '';
  const { line, column, lineText } = location;
  // The bundler counts bytes.
  const before = Buffer.from(lineText).toString('utf8', 0, column);
  return `, line ${line}, column ${before.length + 1}`;
}
