/** Keeps a connection alive, and says nothing. */
export const comment = ': \n\n';

const [lf, colon] = [0x0a, 0x3a];

/** Finds comments in the bytes of an event stream: with them a provider shows that it is still there while its model is silent. */
export class Comments {
  #startsLine = true;

  isIn(chunk: Uint8Array): boolean {
    if (chunk.length === 0) return false;
    let found = this.#startsLine && chunk[0] === colon;
    for (let at = chunk.indexOf(lf); at !== -1 && !found; at = chunk.indexOf(lf, at + 1))
      found = chunk[at + 1] === colon;
    this.#startsLine = chunk.at(-1) === lf;
    return found;
  }
}
