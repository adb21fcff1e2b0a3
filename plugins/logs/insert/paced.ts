import type { LogEntry, LogSinks } from 'portcullis/sdk';

/** After so many, or so many characters of what was said, the store gets its turn. */
const most = { entries: 500, characters: 1024 * 1024 };

/**
 * Writes logs no faster than the store takes them: the queue is that of live requests too, and drops what it has no room
 * for.
 */
export function pacedWrites(logs: LogSinks): (entry: LogEntry) => Promise<void> {
  let entries = 0;
  let characters = 0;
  return async (entry) => {
    logs.write(entry);
    entries += 1;
    characters += lengthOf(entry);
    if (entries < most.entries && characters < most.characters) return;
    entries = 0;
    characters = 0;
    await logs.caughtUp();
  };
}

function lengthOf({ bodies }: LogEntry): number {
  return bodies === undefined ? 0 : bodies.request.body.length + bodies.response.body.length;
}
