import type { VersionsReply } from './source.ts';

/** So much a cursor may fall back between two processes that answer, in milliseconds; the overlap covers it. */
const slackMs = 60_000;

/** What a reply has made stale: everything, or these organisations. */
export type Stale = 'all' | readonly string[];

/** Follows the versions of organisations from reply to reply. */
export class VersionWatch {
  #cursor = 0;
  #seen: ReadonlyMap<string, number> | undefined;

  /** What to give as `since`. */
  get cursor(): number {
    return this.#cursor;
  }

  take({ versions, cursor, all }: VersionsReply): Stale {
    const seen = this.#seen;
    // Before the first reply nobody has watched; a cursor that moves back means records from an earlier time.
    const whole = all || seen === undefined || cursor < this.#cursor - slackMs;
    this.#cursor = cursor;
    // Those that a reply leaves out are older than what any later reply tells again.
    this.#seen = new Map(versions.map(({ organisationId, version }) => [organisationId, version]));
    if (whole) return 'all';
    return versions
      .filter(({ organisationId, version }) => seen.get(organisationId) !== version)
      .map(({ organisationId }) => organisationId);
  }
}
