import type { ReplyContext, TargetContext } from 'portcullis/sdk';

/** With what a reply is read to judge it: what is read is shown to nobody. */
export function replyContextOf({ strict, body }: TargetContext): ReplyContext {
  return {
    strict,
    dropped: () => {},
    request: body,
    newId: (prefix) => prefix,
    nowSeconds: () => 0,
  };
}
