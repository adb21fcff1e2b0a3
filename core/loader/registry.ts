import { GatewayError, type Manifest } from 'portcullis/sdk';
import semver from 'semver';
import { nearest } from '../config/nearest.ts';

export interface Registered {
  readonly manifest: Manifest;
  /** Absolute path. */
  readonly folder: string;
}

/** The units of one kind, by `name@major`; majors stand side by side. */
export interface Registry<Unit extends Registered> {
  /** By name and major. */
  readonly units: readonly Unit[];
  /**
   * The unit of `name@major`, or the highest major of `name`.
   * @throws GatewayError `unknown_provider` (`invalid_config` for plugins), with the nearest name
   */
  find(reference: string): Unit;
  /** As `find`, but undefined where there is none. */
  get(reference: string): Unit | undefined;
  /** The error that `find` throws for a name that nothing bears. */
  unknown(reference: string): GatewayError;
}

const errorCodes = { provider: 'unknown_provider', plugin: 'invalid_config', guardrail: 'invalid_config' } as const;

/** @throws GatewayError `invalid_config` when two folders hold the same name@major */
export function createRegistry<Unit extends Registered>(
  noun: keyof typeof errorCodes,
  given: readonly Unit[],
): Registry<Unit> {
  const units = given.toSorted(
    (a, b) => compare(a.manifest.name, b.manifest.name) || majorOf(a.manifest) - majorOf(b.manifest),
  );
  const byReference = new Map<string, Unit>();
  for (const unit of units) {
    const reference = referenceOf(unit.manifest);
    const other = byReference.get(reference);
    if (other !== undefined) {
      const text = `Two folders hold the ${noun} ${reference}: ${other.folder} and ${unit.folder}. Remove one, or give it another name or major.`;
      throw new GatewayError('invalid_config', text);
    }
    byReference.set(reference, unit);
  }
  // Sorted: the highest major comes last and stays. A bare name holds no @, so the two kinds of key never meet.
  for (const unit of units) byReference.set(unit.manifest.name, unit);

  const unknown = (reference: string): GatewayError => {
    const shown = reference.slice(0, 100);
    const majors = units
      .filter(({ manifest }) => manifest.name === reference.split('@')[0])
      .map(({ manifest }) => referenceOf(manifest));
    const close = nearest(shown, byReference.keys());
    const hint =
      majors.length > 0 ? ` There is ${majors.join(', ')}.` : close === undefined ? '' : ` Did you mean ${close}?`;
    return new GatewayError(errorCodes[noun], `No ${noun} has the name "${shown}".${hint}`, { param: noun });
  };
  return {
    units,
    unknown,
    get: (reference) => byReference.get(reference),
    find: (reference) => {
      const unit = byReference.get(reference);
      if (unit === undefined) throw unknown(reference);
      return unit;
    },
  };
}

export function majorOf(manifest: Manifest): number {
  return semver.major(manifest.version);
}

/** `name@major`. */
export function referenceOf(manifest: Manifest): string {
  return `${manifest.name}@${majorOf(manifest)}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
