import {
  asObject,
  asString,
  compact,
  type Flow,
  GatewayError,
  type Json,
  type JsonObject,
  omit,
  pictureSize,
} from 'portcullis/sdk';

/** Creates a generation and asks for it until it is done. */
export const generateFlow: Flow = async ({ facts, body }, tools) => {
  const created = await tools.send({ method: 'POST', url: '/generations/image', body: inputOf(body, facts.model) });
  let generation = created.json;
  while (generation.state === 'queued' || generation.state === 'dreaming') {
    await tools.pause(500);
    const id = encodeURIComponent(asString(generation.id) ?? '');
    generation = (await tools.send({ method: 'GET', url: `/generations/${id}` })).json;
  }
  const url = asString(asObject(generation.assets)?.image);
  if (generation.state === 'completed' && url !== undefined)
    return { status: 200, json: { created: tools.nowSeconds(), data: [{ url }] } };
  const reason = asString(generation.failure_reason) || `it ended as ${asString(generation.state) ?? 'unknown'}`;
  throw new GatewayError('upstream_error', `The picture was not made: ${reason}`);
};

const read: ReadonlySet<string> = new Set(['model', 'n', 'size', 'response_format', 'user']);

function inputOf(body: JsonObject, model: string): JsonObject {
  if (body.n !== undefined && body.n !== null && Number(body.n) !== 1)
    throw new GatewayError('translation_unsupported', 'n is 1 here: the provider makes one picture a call.', {
      param: 'n',
    });
  return compact({ model: model || undefined, aspect_ratio: aspectOf(body.size), ...omit(body, read) });
}

const aspects: readonly (readonly [name: string, ratio: number])[] = [
  ['21:9', 21 / 9],
  ['16:9', 16 / 9],
  ['4:3', 4 / 3],
  ['1:1', 1],
  ['3:4', 3 / 4],
  ['9:16', 9 / 16],
  ['9:21', 9 / 21],
];

/** The nearest of the shapes on offer; `auto` leaves it to the provider. */
function aspectOf(size: Json | undefined): string | undefined {
  const pixels = pictureSize(size);
  if (pixels === undefined) return undefined;
  const wanted = pixels.width / pixels.height;
  const distance = (ratio: number) => Math.abs(Math.log(ratio / wanted));
  return aspects.toSorted(([, a], [, b]) => distance(a) - distance(b))[0]?.[0];
}
