/** Segments below an assistant, a thread, a vector store or a conversation that are no ids. */
const words: ReadonlySet<string> = new Set([
  '',
  '.',
  'messages',
  'runs',
  'steps',
  'submit_tool_outputs',
  'cancel',
  'files',
  'file_batches',
  'content',
  'search',
  'items',
]);

/** The ids in a path that begins with a slash, or is empty. */
export function idsInRest(rest: string | undefined): readonly string[] {
  return segmentsOf(rest).filter((segment) => !words.has(segment));
}

/** The segments of a path, decoded where they can be. */
export function segmentsOf(path: string | undefined): readonly string[] {
  return (path ?? '').split('/').map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
