/** A block of code as Markdown marks it. */
export interface FencedBlock {
  /** The first word behind the fence in lower case; '' where there is none. */
  readonly language: string;
  readonly body: string;
}

const maxBlocks = 1000;
/** On a line of its own, or as models write it too: behind a text, with a language and nothing more. */
const opening = /^[ \t]*(`{3,}|~{3,})([^\n]*)$|(?<!`)(`{3,})([^\s`]+[ \t\r]*)$/gm;
/** A text may follow it on its line. */
const closing = /^[ \t]*(`{3,}|~{3,})(?!\S)/gm;

/** The first thousand blocks; one that is not closed goes on to the end. In time linear in the text. */
export function fencedBlocks(text: string): readonly FencedBlock[] {
  const blocks: FencedBlock[] = [];
  if (!text.includes('```') && !text.includes('~~~')) return blocks;
  opening.lastIndex = 0;
  for (let open = opening.exec(text); open !== null && blocks.length < maxBlocks; open = opening.exec(text)) {
    const [line, fence = open[3] ?? '', info = open[4] ?? ''] = open;
    // Such a line is code in a sentence.
    if (fence.startsWith('`') && info.includes('`')) continue;
    const start = open.index + line.length + 1;
    const end = endOf(text, fence, start);
    blocks.push({ language: languageOf(info), body: text.slice(start, end.body) });
    opening.lastIndex = end.next;
  }
  return blocks;
}

/** A fence is closed by one of the same sign that is as long or longer. */
function endOf(text: string, fence: string, start: number): { readonly body: number; readonly next: number } {
  closing.lastIndex = start;
  for (let close = closing.exec(text); close !== null; close = closing.exec(text)) {
    if (close[1]?.startsWith(fence)) return { body: close.index, next: close.index + close[0].length };
  }
  return { body: text.length, next: text.length };
}

/** ` Python title="x"`, `{.python}` and `python:main.py` are all `python`. */
function languageOf(info: string): string {
  const word = /[^\s{}.,:=]+/.exec(info.slice(0, 200))?.[0] ?? '';
  return word.toLowerCase();
}
