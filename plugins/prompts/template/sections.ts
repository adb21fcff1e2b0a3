import { GatewayError } from 'portcullis/sdk';
import { bounds } from './bounds.ts';
import type { Tag } from './tags.ts';

/**
 * The tags without the section tags that have no counterpart, which are text. A closing tag ends the innermost open
 * section of its name; sections left open inside it have no end.
 * @throws GatewayError `bad_request` when sections nest too deep
 */
export function balanced(tags: readonly Tag[], param: string): readonly Tag[] {
  const open: Tag[] = [];
  const paired = new Set<Tag>();
  for (const tag of tags) {
    if (tag.kind === 'open' || tag.kind === 'openInverted') open.push(tag);
    if (tag.kind !== 'close') continue;
    const index = open.findLastIndex(({ name }) => name === tag.name);
    const opening = open[index];
    if (opening === undefined) continue;
    open.length = index;
    paired.add(opening).add(tag);
  }
  const kept = tags.filter((tag) => !isSectionTag(tag) || paired.has(tag));
  checkDepth(kept, param);
  return kept;
}

function isSectionTag({ kind }: Tag): boolean {
  return kind === 'open' || kind === 'openInverted' || kind === 'close';
}

function checkDepth(tags: readonly Tag[], param: string): void {
  let depth = 0;
  for (const tag of tags) {
    if (!isSectionTag(tag)) continue;
    depth += tag.kind === 'close' ? -1 : 1;
    if (depth <= bounds.sectionDepth) continue;
    const text = `Sections nest at most ${bounds.sectionDepth} levels deep; "${tag.name}" is one level too deep.`;
    throw new GatewayError('bad_request', text, { param });
  }
}
