import { setFlagsFromString } from 'node:v8';

/**
 * V8 gives objects that come from places whose objects once lived long a place in the old generation at once. In a server
 * that happens after any stall: what is then allocated there for each request is old when it dies, keeps everything that it
 * refers to alive until the next full collection, and each small collection copies all of that (seven times as long,
 * measured). Requests die young: nothing of them is to be made old.
 */
export function tuneEngine(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
