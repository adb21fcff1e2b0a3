import { checkTags } from './bounds.ts';

export type TagKind = 'variable' | 'open' | 'openInverted' | 'close' | 'partial' | 'variablePartial' | 'comment';

/** A well-formed tag and where it stands: from `start` to before `end`. */
export interface Tag {
  readonly kind: TagKind;
  /** What it names, without the space around it. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const kinds: Readonly<Record<string, TagKind | undefined>> = {
  '': 'variable',
  '&': 'variable',
  '#': 'open',
  '^': 'openInverted',
  '/': 'close',
  '>': 'partial',
  '>>': 'variablePartial',
};

const longestTag = 512;
const shape = /^(&|#|\^|\/|>>|>|)\s*(\S[\s\S]*)$/;
// Quotes, because a doubled brace before JSON is a habit of other template languages and no tag.
const wellFormedName = /^[^{}"#^/&>!=\p{Cc}][^{}"\p{Cc}]*$/u;

/**
 * The well-formed tags of a text, in order. Everything else that looks like a tag is text: unclosed ones, ones that
 * name nothing, ones that would change the delimiters.
 * @throws GatewayError `bad_request` when there are too many
 */
export function findTags(text: string, param: string): readonly Tag[] {
  const tags: Tag[] = [];
  let close = -1;
  let at = text.indexOf('{{');
  while (at !== -1) {
    // Found once for all the openings before it: looking again for each one would take the square of the length.
    if (close < at + 2) close = text.indexOf('}}', at + 2);
    if (close === -1) break;
    const tag = tagAt(text, at, close);
    if (tag !== undefined) checkTags(tags.push(tag), param);
    at = text.indexOf('{{', tag?.end ?? at + 1);
  }
  return tags;
}

function tagAt(text: string, start: number, close: number): Tag | undefined {
  // A comment may be of any length.
  if (text[start + 2] === '!') return { kind: 'comment', name: '', start, end: close + 2 };
  if (close - start > longestTag || text.startsWith('{{', start + 2)) return undefined;
  const isTriple = text[start + 2] === '{' && text[close + 2] === '}';
  const inside = text.slice(start + (isTriple ? 3 : 2), close).trim();
  if (inside.startsWith('!') && !isTriple) return { kind: 'comment', name: '', start, end: close + 2 };
  const [, sigil = '', name = ''] = shape.exec(inside) ?? [];
  const kind = kinds[sigil];
  if (kind === undefined || !wellFormedName.test(name) || (isTriple && sigil !== '')) return undefined;
  return { kind, name, start, end: close + (isTriple ? 3 : 2) };
}
