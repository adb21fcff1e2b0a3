import { type DirectoryKind, GatewayError } from 'portcullis/sdk';
import { nameOf } from '../../../core/directory/paths.ts';
import type { DirectorySource } from '../../../core/directory/source.ts';

interface Entry {
  readonly organisationId: string;
  readonly [member: string]: unknown;
}

type Mood = 'well' | 'away' | 'frozen';

/** Records in memory, with a switch for every way in which a store fails. */
export interface FakeSource extends DirectorySource {
  /** Of the whole source, or of its loads and questions apart. */
  mood: Mood;
  loadMood: Mood | undefined;
  loads: number;
  questions: number;
  /** Most loads that ran at a time. */
  peak: number;
  closed: boolean;
  /** Runs inside each load, before the record is read. */
  during: () => Promise<void>;
  /** Runs after the record was read, before it is given. */
  afterwards: () => Promise<void>;
  /** Thrown by the loads of this path. */
  fault: { readonly name: string; readonly error: unknown } | undefined;
  /** Without telling of a change. */
  keep(kind: DirectoryKind, path: readonly string[], entry: object): void;
  put(kind: DirectoryKind, path: readonly string[], entry: Entry): void;
  remove(kind: DirectoryKind, path: readonly string[], organisationId: string): void;
  bump(organisationId: string): void;
}

export function fakeSource(): FakeSource {
  const records = new Map<string, unknown>();
  const versions = new Map<string, number>();
  let running = 0;
  const reached = async (mood: Mood, signal: AbortSignal): Promise<void> => {
    if (mood === 'away') throw new GatewayError('not_ready', 'The store is away.');
    if (mood === 'frozen') await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
  };
  const source: FakeSource = {
    mood: 'well',
    loadMood: undefined,
    loads: 0,
    questions: 0,
    peak: 0,
    closed: false,
    during: () => new Promise(setImmediate),
    afterwards: async () => {},
    fault: undefined,
    keep: (kind, path, entry) => void records.set(nameOf(kind, path), entry),
    put: (kind, path, entry) => {
      source.keep(kind, path, entry);
      source.bump(entry.organisationId);
    },
    remove: (kind, path, organisationId) => {
      records.delete(nameOf(kind, path));
      source.bump(organisationId);
    },
    bump: (organisationId) => {
      versions.set(organisationId, (versions.get(organisationId) ?? 0) + 1);
    },
    load: async (kind, path, signal) => {
      source.loads += 1;
      running += 1;
      source.peak = Math.max(source.peak, running);
      try {
        await reached(source.loadMood ?? source.mood, signal);
        await source.during();
        const name = nameOf(kind, path);
        if (source.fault?.name === name) throw source.fault.error;
        const entry = records.get(name);
        await source.afterwards();
        return { entry: structuredClone(entry) };
      } finally {
        running -= 1;
      }
    },
    versions: async (since, signal) => {
      source.questions += 1;
      await reached(source.mood, signal);
      const rows = [...versions].map(([organisationId, version]) => ({ organisationId, version }));
      return { versions: rows, cursor: since + 1, all: false };
    },
    close: async () => {
      source.closed = true;
    },
  };
  return source;
}

export function digestOf(number: number): string {
  return number.toString(16).padStart(64, '0');
}
