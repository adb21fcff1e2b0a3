import type { ScannedText } from 'portcullis/sdk';
import type { ScanScope } from '../definition/hook.ts';
import { adjoin, partsOf, partsTogether } from './adjoining.ts';
import type { Fragment, Reading } from './reading.ts';
import { withoutScaffolding } from './scaffolding.ts';

/** The texts in scope, and where each stands in its fragment. */
export interface Scan {
  readonly texts: readonly ScannedText[];
  readonly places: readonly { readonly fragment: Fragment; readonly offset: number }[];
}

/**
 * The texts of a request that a scope covers. What stands behind the last answer, be it in several messages or results of
 * tools, is the last message, with the beginning of an answer that follows it. What the model has thought is looked at only
 * where all is.
 */
export function scanRequest(reading: Reading, scope: ScanScope, strip: boolean): Scan {
  return scanned(scope === 'all_messages' ? reading.fragments : reading.said.filter(inScope(reading, scope)), strip);
}

/** All that a reply says, of every choice; its thinking only where all is looked at. */
export function scanReply(reading: Reading, scope: ScanScope): Scan {
  const all = scope === 'all_messages';
  return scanned(all ? reading.fragments : reading.fragments.filter(({ kind }) => kind !== 'thinking'), false);
}

function inScope(reading: Reading, scope: Exclude<ScanScope, 'all_messages'>): (fragment: Fragment) => boolean {
  const { said, turns, speakers } = reading;
  switch (scope) {
    case 'user_messages':
      return ({ role }) => role === 'user';
    case 'last_user_message': {
      const last = said.findLast(({ role, message }) => role === 'user' && message >= 0)?.message ?? turns;
      const answered = last === 0 ? -1 : speakers.lastIndexOf('assistant', last - 1);
      return ({ role, message }) => role === 'user' && message > answered;
    }
    case 'last_message': {
      // What stands behind the last question is the beginning of its answer: whoever gives one gets no less looked at.
      const asked = Math.max(speakers.lastIndexOf('user'), speakers.lastIndexOf('tool'), 0);
      const answered = asked === 0 ? -1 : speakers.lastIndexOf('assistant', asked - 1);
      return ({ role, message, kind }) =>
        (kind !== 'thinking' || role !== 'assistant') &&
        (message >= asked || (message > answered && (role === 'user' || role === 'tool')));
    }
  }
}

function scanned(fragments: readonly Fragment[], strip: boolean): Scan {
  const texts: ScannedText[] = [];
  const places: Scan['places'][number][] = [];
  const add = (fragment: Fragment, text: string, offset: number) => {
    const { role, kind, message, seams } = fragment;
    const scanned = { index: texts.length, role, kind, message, text };
    const before = places.at(-1)?.fragment;
    const adjoins = offset === 0 ? before !== undefined && adjoin(before, fragment) : seams?.includes(offset) === true;
    const goesOn = fragment.goesOn && offset + text.length === fragment.text.length;
    texts.push(goesOn || adjoins ? { ...scanned, goesOn, adjoins } : scanned);
    places.push({ fragment, offset });
  };
  for (const fragment of partsTogether(fragments)) {
    // What a tool gave back is content, whatever it looks like.
    if (!strip || fragment.kind === 'tool-result') {
      let offset = 0;
      for (const text of partsOf(fragment)) {
        add(fragment, text, offset);
        offset += text.length;
      }
    } else
      for (const { start, end } of withoutScaffolding(fragment.text))
        add(fragment, fragment.text.slice(start, end), start);
  }
  return { texts, places };
}
