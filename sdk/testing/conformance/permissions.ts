import type { Manifest } from '../../contracts/manifest.ts';
import { covers } from '../places.ts';
import { type ConformanceResult, type GuardrailUnit, resultOf, warningOf } from './report.ts';
import type { Usage } from './usage.ts';

/** What the checks of a unit have reached for, against what its manifest declares. */
export function permissionResults(
  { manifest, sandboxed }: GuardrailUnit,
  usages: readonly Usage[],
): readonly ConformanceResult[] {
  const places = new Set(usages.flatMap((usage) => [...usage.places]));
  const parts = new Set(usages.flatMap((usage) => [...usage.parts]));
  const {
    net = [],
    request = [],
    models = false,
    sandbox = false,
  }: NonNullable<Manifest['permissions']> = manifest.permissions ?? {};
  const askedModels = usages.some((usage) => usage.models);
  const ranCode = usages.some((usage) => usage.sandbox);
  const undeclared = [
    ...[...places]
      .filter((place) => !net.some((entry) => reaches(entry, place)))
      .map((place) => `permissions.net: ${place}`),
    ...[...parts].filter((part) => !request.includes(part)).map((part) => `permissions.request: ${part}`),
    ...(askedModels && !models ? ['permissions.models'] : []),
    ...(ranCode && !sandbox ? ['permissions.sandbox'] : []),
  ];
  // What is read in the sandbox is not seen.
  const seen = sandboxed === true ? request.filter((part) => part === 'credentials') : request;
  const unused = [
    ...net
      .filter((entry) => ![...places].some((place) => reaches(entry, place)))
      .map((entry) => `permissions.net: ${entry}`),
    ...seen.filter((part) => !parts.has(part)).map((part) => `permissions.request: ${part}`),
    ...(models && !askedModels ? ['permissions.models'] : []),
    ...(sandbox && !ranCode ? ['permissions.sandbox'] : []),
  ];
  const used = [...places, ...parts, ...(askedModels ? ['models'] : []), ...(ranCode ? ['sandbox'] : [])];
  return [
    resultOf(
      'unit',
      'uses only what its manifest declares',
      undeclared,
      used.length === 0 ? 'nothing' : used.join(', '),
    ),
    warningOf('unit', 'uses all that its manifest declares', unused),
  ];
}

function reaches(entry: string, place: string): boolean {
  const [hostname = '', port = ''] = place.split(':');
  return covers(entry, hostname, port);
}
