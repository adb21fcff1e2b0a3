type Unknowns = Record<string, unknown>;
type PackedText = readonly [
  role: string,
  kind: string,
  message: number,
  place: number,
  adjoins?: boolean,
  goesOn?: boolean,
];

/**
 * The input of a check as `payloadOf` has packed it: each text has come once, its length in a list. Runs inside the isolate, so
 * it may refer to nothing outside itself.
 * @param sliced a part of the texts, which stand one behind the other
 */
export function unpackInput(packed: Unknowns, sliced: (start: number, end: number) => string): Unknowns {
  const strings: string[] = [];
  let end = 0;
  for (const length of packed.lengths as readonly number[]) {
    strings[strings.length] = sliced(end, end + length);
    end += length;
  }
  const texts: unknown[] = [];
  let joined = '';
  for (const [role, kind, message, at, adjoins, goesOn] of packed.texts as readonly PackedText[]) {
    const text = strings[at] ?? '';
    joined += texts.length === 0 ? text : `\n${text}`;
    const scanned = { index: texts.length, role, kind, message, text };
    const last = goesOn ? { ...scanned, goesOn } : scanned;
    texts[texts.length] = adjoins ? { ...last, adjoins } : last;
  }
  const turns: unknown[] = [];
  for (const [role, at] of packed.turns as readonly (readonly [string, number])[])
    turns[turns.length] = { role, text: strings[at] };
  const textAt = (at: unknown) => (at === -1 ? joined : strings[at as number]);
  return {
    ...(packed.rest as Unknowns),
    texts,
    text: textAt(packed.text),
    content: textAt(packed.content),
    turns,
    prompt: textAt(packed.prompt),
    reply: packed.reply ?? undefined,
    organisationId: packed.organisationId ?? undefined,
    workspaceId: packed.workspaceId ?? undefined,
  };
}
