/** What OpenTelemetry takes; of a longer list it would take nothing. */
const longest = 512;
const longMember = 128;

/**
 * A list of members that fits, cut as the standard says: whole members go, those of more than 128 characters first, then the
 * last, which are the oldest. https://www.w3.org/TR/trace-context/#tracestate-limits
 */
export function fittingState(state: string): string {
  const members = state.split(',');
  let length = state.length;
  while (length > longest) {
    const long = members.findLastIndex((member) => member.length > longMember);
    const [gone = ''] = members.splice(long === -1 ? members.length - 1 : long, 1);
    length -= gone.length + 1;
  }
  return members.join(',');
}
