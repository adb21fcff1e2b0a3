/**
 * The text without what would steer a terminal: escape sequences and marks of direction can hide what a line says.
 * Line ends and tabs stay, and the joiners that letters and emoji are made of.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => (plain.has(character) ? character : '\ufffd'));
}

const plain = new Set(['\n', '\t', '\u200c', '\u200d']);
