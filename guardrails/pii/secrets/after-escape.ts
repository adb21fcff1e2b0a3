/** In JSON inside a text, `\n` stands before the token and not in it. */
export function afterEscape(text: string, start: number): number {
  return text.charAt(start - 1) === '\\' && 'nrt'.includes(text.charAt(start)) ? start + 1 : start;
}
