/** The elements in which coding and chat tools wrap what they add to a user's message. */
const tags = [
  'system-reminder',
  'environment_details',
  'environment_context',
  'user_instructions',
  'command-name',
  'command-message',
  'command-args',
  'local-command-stdout',
  'ide_selection',
  'ide_opened_file',
  'attached_files',
  'open_and_recently_viewed_files',
  'additional_data',
  'workspace_info',
  'editor_context',
  'web_search_context',
] as const;

const opening = new RegExp(`<(${tags.join('|')})(?:\\s[^<>]{0,200})?>`, 'g');

export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** What is left of a text without its scaffolding, as segments; an element that is never closed is no scaffolding. */
export function withoutScaffolding(text: string): readonly Segment[] {
  if (!text.includes('<')) return [{ start: 0, end: text.length }];
  const segments: Segment[] = [];
  const unclosed = new Set<string>();
  let at = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [, tag = ''] = found;
    const close = unclosed.has(tag) ? -1 : text.indexOf(`</${tag}>`, opening.lastIndex);
    if (close === -1) {
      unclosed.add(tag);
      continue;
    }
    if (found.index > at) segments.push({ start: at, end: found.index });
    at = close + tag.length + 3;
    opening.lastIndex = at;
  }
  if (at < text.length) segments.push({ start: at, end: text.length });
  return segments;
}
