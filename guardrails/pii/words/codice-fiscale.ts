/** Places of digits take letters too, where two people would have the same code. */
const form = /^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$/;
/** What letters count at odd places, from A on; digits count like A to J. At even places they count as they stand. */
const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** An Italian tax code with the letter that follows from the rest. */
export function isCodiceFiscale(word: string): boolean {
  if (!form.test(word)) return false;
  let sum = 0;
  for (let at = 0; at < 15; at += 1) {
    const value = Number.parseInt(word.charAt(at), 36);
    const rank = value > 9 ? value - 10 : value;
    sum += at % 2 === 0 ? (odd[rank] ?? 0) : rank;
  }
  return word.charCodeAt(15) === 65 + (sum % 26);
}
