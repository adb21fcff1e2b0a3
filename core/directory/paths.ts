import type { DirectoryKind } from 'portcullis/sdk';

/** How many parts name a record of each kind. */
const lengths: Readonly<Record<DirectoryKind, number>> = {
  key: 1,
  session: 1,
  organisation: 1,
  member: 2,
  workspace: 2,
  config: 3,
  provider: 3,
  models: 2,
  guardrail: 3,
  checkCredentials: 2,
  secretReference: 2,
  prompt: 4,
  promptPartial: 4,
  limitPolicies: 1,
  prices: 1,
};

/** Where a path may have an empty part: no workspace stands for the organisation itself, no version for the Published one. */
const emptyPart: { readonly [K in DirectoryKind]?: number } = { guardrail: 1, prompt: 3, promptPartial: 3 };

const digest = /^[0-9a-f]{64}$/;
const longestPart = 255;

/** Kinds that are named by a digest: which organisation they are of shows only when they are found. */
export function isDigestKind(kind: DirectoryKind): boolean {
  return kind === 'key' || kind === 'session';
}

/** One text for kind and path. Parts of paths that are kept hold no NUL, so no two share a name. */
export function nameOf(kind: DirectoryKind, path: readonly string[]): string {
  return path.length === 1 ? `${kind}\0${path[0]}` : `${kind}\0${path.join('\0')}`;
}

/** Why a path names no record of its kind at all; undefined: it has as many parts as it must. */
export function lengthFault(kind: DirectoryKind, path: readonly string[]): string | undefined {
  const wanted = lengths[kind];
  if (path.length === wanted) return undefined;
  return `A path of the kind ${kind} has ${wanted} parts; this one has ${path.length}.`;
}

/** Whether a record could have this path; what could not is missing without a look-up. */
export function isPlausible(kind: DirectoryKind, path: readonly string[]): boolean {
  if (isDigestKind(kind)) return digest.test(path[0] ?? '');
  const mayBeEmpty = emptyPart[kind];
  return path.every(
    (part, index) =>
      (part !== '' || index === mayBeEmpty) &&
      part.length <= longestPart &&
      !part.includes('\0') &&
      part.isWellFormed(),
  );
}
