import { asObject, asObjects, asString, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Completion } from '../neutral.ts';
import { decodeBlocks } from './decode-blocks.ts';
import { finishOf } from './stop.ts';
import { tierOf, usageOf } from './usage.ts';

export const replyFields: ReadonlySet<string> = new Set(['output', 'stopReason', 'usage', 'serviceTier']);

/** Reads a Converse reply. It names neither an id nor the model: the id is made, the model is the one that was asked. */
export function decodeReply(body: JsonObject, context: ReplyContext): Completion {
  const blocks = asObjects(asObject(asObject(body.output)?.message)?.content);
  const parts = decodeBlocks(blocks, () => context.newId('tooluse_'));
  const word = asString(body.stopReason);
  const stopSequence = stopSequenceOf(body);
  const usage = usageOf(body);
  const serviceTier = tierOf(body);
  const extra = omit(body, replyFields);
  return {
    id: context.newId('conv-'),
    model: asString(context.request.model) ?? '',
    created: context.nowSeconds(),
    choices: [
      {
        index: 0,
        parts,
        finish: finishOf(
          word,
          parts.some(({ type }) => type === 'tool-call'),
        ),
        ...(word === undefined ? {} : { nativeFinish: word }),
        ...(stopSequence === undefined ? {} : { stopSequence }),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Told where the request asked for it by `additionalModelResponseFieldPaths: ["/stop_sequence"]`. */
export function stopSequenceOf(json: JsonObject): string | undefined {
  return asString(asObject(json.additionalModelResponseFields)?.stop_sequence);
}
