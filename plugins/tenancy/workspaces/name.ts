/** Emoji with their joiners, skin tones and flags, at the start of a name. */
const leading = /^\s*((?:\p{RGI_Emoji}|\p{Emoji_Presentation})+)\s*/v;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{RGI_Emoji}\p{Extended_Pictographic}]/gv;

export interface IconAndName {
  /** Null: none. */
  readonly icon: string | null;
  readonly name: string;
}

/** `🚀 Growth` -> `🚀` and `Growth`. A name of nothing but emoji stays one. */
export function splitName(given: string): IconAndName {
  const [all = '', icon] = leading.exec(given) ?? [];
  const name = given.slice(all.length).trim();
  return icon === undefined || name === '' ? { icon: null, name: given.trim() } : { icon, name };
}

/** The name as people see it. */
export function displayName({ icon, name }: IconAndName): string {
  return icon === null ? name : `${icon} ${name}`;
}

/** Whether two names read the same: kinds of space, invisible characters and emoji do not count. */
export function sameName(a: string, b: string): boolean {
  return bare(a) === bare(b);
}

function bare(name: string): string {
  const plain = name.normalize('NFC').replace(/\s+/gu, ' ').replace(invisible, '').replace(/ +/g, ' ').trim();
  // Of names that consist of emoji alone, these are what tells them apart.
  return plain === '' ? name.normalize('NFC').replace(/\s+|\uFE0F/gu, '') : plain;
}
